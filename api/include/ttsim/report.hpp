// What a run did, as values. Cycles are clock cycles of the chip.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

struct OpTime {
    std::string name, type;
    std::int64_t rows = 0, columns = 0;             ///< of cores
    std::int64_t tiles = 0;                         ///< packed, all cores and inputs
    std::uint64_t first_cycle = 0, last_cycle = 0;  ///< first unpack, last pack
    std::uint64_t busy_cycles = 0;                  ///< of the busiest core
    double busy_share = 0;                          ///< of the graph's cycles
};

struct GraphTime {
    std::string name;
    std::int64_t chip = 0, executes = 0, inputs = 0;
    std::uint64_t cycles = 0;      ///< all its executes
    double inputs_per_second = 0;  ///< steady, within an execute; 0: unknown
    std::vector<OpTime> ops;
};

enum class Verdict {
    Pass,
    Mismatch,
    IllConditioned,   ///< it differs, but so does golden when its inputs move by 1e-6
    NothingCompared,  ///< checked, but there was nothing to judge
    NotChecked,
};

/// One output queue beside golden.
struct OutputCheck {
    std::string queue;
    std::int64_t entries = 0;
    double pcc = 0;        ///< correlation over all values
    double max_error = 0;  ///< largest absolute difference
    Verdict verdict = Verdict::NotChecked;
};

struct RunReport {
    std::string chip, device;
    std::int64_t clock_mhz = 0;
    std::uint64_t cycles = 0;          ///< all of the run; 0 without a clock
    std::uint64_t load_cycles = 0;     ///< of them, in which kernels and programs are loaded
    std::uint64_t latency_cycles = 0;  ///< of the first input, kernels loaded
    double inputs_per_second = 0;      ///< steady; 0: unknown
    double end_to_end_per_second = 0;  ///< inputs over all cycles
    double host_seconds = 0;           ///< real time of the host's steps of a model, which take no simulated time
    std::vector<GraphTime> graphs;     ///< in order of first execution
    std::vector<OutputCheck> outputs;  ///< empty unless checked
    std::vector<std::string> notes;    ///< warnings worth showing
    Verdict verdict = Verdict::NotChecked;

    /// The whole report as `ttsim run` prints it, and as its --json writes it. "" of one that was made by hand.
    TTSIM_API std::string text() const;
    TTSIM_API std::string json() const;
    struct Source;
    std::shared_ptr<const Source> source;  ///< what it was made from
};

}  // namespace ttsim
