// One reading of simulated chips: of a run that goes on, of a trace at some cycle, or of chips that do nothing.
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

/// Rates are of the time since the reading before, by the chip's clock.
struct ChipSample {
    std::int64_t chip = 0;
    std::string board_type{};  ///< "n300 L"; the chip's name where it is no product
    std::optional<Board> board{};
    std::string harvested_rows{};
    std::int64_t workers = 0, clock_mhz = 0, cores_used = 0;
    double math = 0;  ///< share of the cycles of all workers in which FPU or SFPU worked
    double dram_gbps = 0, noc_gbps = 0;
    std::int64_t dram_bytes = 0, pcie_bytes = 0, ethernet_bytes = 0;  ///< since the start
};

struct Sample {
    double seconds = 0;  ///< simulated, since the start of the run
    std::int64_t cycle = 0;
    std::string status{};  ///< "idle", "running", "complete", "hang", ...
    std::string netlist{}, command{};
    std::int64_t pid = 0;  ///< of the run; 0: there is none
    std::optional<std::int64_t> epoch{}, inputs_over{}, inputs{};
    std::string graphs{};
    std::optional<double> queue_fill{};  ///< of the fullest queue
    double cycles_per_second = 0;        ///< simulated cycles in a second of the host; 0: unknown
    std::vector<ChipSample> chips{};
    bool last = false;  ///< nothing new will come
};

class Source {
public:
    virtual ~Source() = default;
    /// The next reading. `simulated`: seconds that a trace goes on; others read what is there now.
    virtual Sample next(double simulated) = 0;
    virtual bool replays() const { return false; }  ///< time is that of a trace
};

/// Chips of a product that nobody uses. Throws Error(Input) for a name that is none.
std::unique_ptr<Source> idle_source(const std::string& device);
/// The file that 'ttsim run --telemetry' keeps. Throws Error(Input) for a file that is none.
std::unique_ptr<Source> run_source(const std::string& file);
std::unique_ptr<Source> trace_source(const std::string& file);

}  // namespace ttsim::impl::smi
