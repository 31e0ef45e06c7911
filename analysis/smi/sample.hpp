// A telemetry reading of simulated chips: of a running simulation, of a trace at some cycle, or of idle chips.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/smi/board.hpp"

namespace ttsim::impl::smi {

using Json = nlohmann::ordered_json;

/// Rates are averages over the simulated time since the previous reading.
struct ChipSample {
    std::int64_t chip = 0;
    std::string board_type{};  ///< "n300 L"; the chip's name when it is not a product
    std::optional<Board> board{};
    std::string harvested_rows{};
    std::int64_t workers = 0, clock_mhz = 0, cores_used = 0;
    double math = 0;  ///< fraction of the cycles of all workers in which FPU or SFPU was busy
    double dram_gbps = 0, noc_gbps = 0;
    std::int64_t dram_bytes = 0, pcie_bytes = 0, ethernet_bytes = 0;  ///< since the start
};

struct Sample {
    double seconds = 0;  ///< simulated seconds since the start of the run
    std::int64_t cycle = 0;
    std::string status{};  ///< "idle", "running", "complete", "hang", ...
    std::string netlist{}, command{};
    std::int64_t pid = 0;  ///< process id of the run; 0: none
    std::optional<std::int64_t> epoch{}, inputs_over{}, inputs{};
    std::string graphs{};
    std::optional<double> queue_fill{};  ///< fill level of the fullest queue, 0..1
    double cycles_per_second = 0;        ///< simulated cycles per second of host time; 0: unknown
    std::vector<ChipSample> chips{};
    bool last = false;  ///< there are no further readings
};

class Source {
public:
    virtual ~Source() = default;
    /// The next reading. `simulated`: seconds by which a trace advances; other sources return their current state.
    virtual Sample next(double simulated) = 0;
    virtual bool replays() const { return false; }  ///< whether the source is a trace
    virtual double length() const { return 0; }     ///< simulated seconds of a trace
    /// The next reading of a trace starts there; other sources have one moment only.
    virtual void seek(double /*seconds*/) {}
};

/// Source of idle chips of a product. Throws Error(Input) for an unknown name.
std::unique_ptr<Source> idle_source(const std::string& device);
/// Source that reads the file of 'ttsim run --telemetry'. Throws Error(Input) for another file.
std::unique_ptr<Source> run_source(const std::string& file);
std::unique_ptr<Source> trace_source(const std::string& file);

}  // namespace ttsim::impl::smi
