// Reports of runs. Cycles are clock cycles of the chip.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

/// Times of an op.
struct OpTime {
    std::string name, type;
    std::int64_t rows = 0, columns = 0;             ///< grid of cores
    std::int64_t tiles = 0;                         ///< packed output tiles over all cores and inputs
    std::uint64_t first_cycle = 0, last_cycle = 0;  ///< cycles of its first unpack and its last pack
    std::uint64_t busy_cycles = 0;                  ///< busy cycles of the busiest core
    double busy_share = 0;                          ///< busy_cycles as a fraction of the graph's cycles, 0..1
};

/// Times of a graph.
struct GraphTime {
    std::string name;
    std::int64_t chip = 0, executes = 0, inputs = 0;
    std::uint64_t cycles = 0;      ///< clock cycles of all its executes
    double inputs_per_second = 0;  ///< steady rate within an execute; 0: unknown
    std::vector<OpTime> ops;
    std::string epoch_type;  ///< "forward", "backward", "optimizer"; "" of a netlist that does not train
};

/// Times of the epochs of one type, or of a whole training step.
struct EpochTypeTime {
    std::string epoch_type;  ///< as in GraphTime, or "step"
    std::int64_t epochs = 0;
    std::uint64_t cycles = 0;
    double step_share = 0;        ///< cycles as a fraction of the step's, 0..1
    double utilization = 0;       ///< computing fraction of all cores of the chips in use, 0..1
    double math_utilization = 0;  ///< the same of the cores in use
};

/// Verdict on an output or a run.
enum class Verdict {
    Pass,
    Mismatch,
    IllConditioned,   ///< it differs, but golden changes as much when its inputs change by 1e-6
    NothingCompared,  ///< checked, but no element could be compared
    NotChecked,
};

/// Comparison of one output queue with golden.
struct OutputCheck {
    std::string queue;
    std::int64_t entries = 0;
    double pcc = 0;        ///< correlation over all values
    double max_error = 0;  ///< largest absolute difference
    Verdict verdict = Verdict::NotChecked;
};

/// Report of a run, session or model.
struct RunReport {
    std::string chip, device;
    bool validated = false;  ///< whether results of the chip were compared with measurements
    std::int64_t clock_mhz = 0;
    std::uint64_t cycles = 0;          ///< cycles of the whole run; 0 without a clock
    std::uint64_t load_cycles = 0;     ///< part of `cycles` in which kernels and programs are loaded
    std::uint64_t latency_cycles = 0;  ///< cycles from the end of loading to the end of the first input
    double inputs_per_second = 0;      ///< steady rate; 0: unknown
    double end_to_end_per_second = 0;  ///< inputs divided by the time of the whole run
    double host_seconds = 0;           ///< real time of the host steps of a model, which take no simulated time
    std::vector<GraphTime> graphs;     ///< in order of first execution
    /// Of a netlist that trains, with a clock: forward, backward, optimizer and the step. Else empty.
    std::vector<EpochTypeTime> training;
    std::int64_t saved_bytes = 0;      ///< size of the queues from forward to backward epochs
    std::vector<OutputCheck> outputs;  ///< empty unless checked
    std::vector<std::string> notes;    ///< warnings for the user
    Verdict verdict = Verdict::NotChecked;

    /// The report as `ttsim run` prints it, and as its --json writes it; "" for a report not made by ttsim.
    TTSIM_API std::string text() const;
    TTSIM_API std::string json() const;
    struct Source;
    std::shared_ptr<const Source> source;  ///< internal data of text() and json()
};

/// Writes a folder with db.sqlite, config.json and cluster_descriptor.yaml, which ttnn-visualizer opens, in place of
/// those of an earlier report. `report`: JSON, {"config": {"arch": chip, "device": product, ...}, "tables": {table:
/// [rows of numbers, texts and nulls]}, "device_operations": [[operation id, name in ops_perf_results.csv, inputs]]};
/// the last is optional. Throws Error(Input) for a text that is no such JSON, an unknown table, and files that cannot
/// be written.
TTSIM_API void write_visualizer_report(const std::string& folder, const std::string& report);

}  // namespace ttsim
