// The main job as one function: a netlist in, a checked and timed run out. The command line and the tests call it.
//
//   read -> resolve -> validate -> choose parameters -> stimulus | --inputs -> golden || SystemC machine -> compare
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/figures.hpp"
#include "kernels/tensor.hpp"
#include "netlist/compare/compare.hpp"
#include "netlist/program/parameters.hpp"
#include "netlist/stimulus/stimulus.hpp"
#include "sim/checks/non_finite.hpp"
#include "sim/checks/performance.hpp"
#include "sim/settings.hpp"

namespace ttsim::impl {
struct Netlist;
struct Machine;
}  // namespace ttsim::impl

namespace ttsim::impl::sim {

/// Entries by queue, from the first one on.
using HostValues = std::map<std::string, std::vector<Tensor>>;

struct RunOptions : MachineSettings {
    std::string netlist;                   ///< file
    std::shared_ptr<const Netlist> value;  ///< in its place, as read_netlist() gives it; null: the file is read
    std::string arch;                      ///< "" = first listed one on which the file validates
    std::string device, cluster;           ///< see MachineOptions
    std::vector<int> harvested_rows;
    std::shared_ptr<const Machine> machine;      ///< in place of these three; null: they say it
    std::vector<std::string> programs;           ///< in run order; empty = all, in file order
    std::map<std::string, std::int64_t> params;  ///< "$p_x" or "p_x"
    std::uint32_t seed = 0;
    StimulusOrder stimulus = StimulusOrder::PerQueue;
    std::string inputs_dir, dump_dir;  ///< --inputs, --dump-io; "" = none
    std::string perf_op;               ///< only this op, without the others; "" = the whole netlist. Timing mode
    /// Entries of HOST queues from 0 on, in place of those of inputs_dir; without that, of all that the run reads.
    /// Null: none.
    std::shared_ptr<const HostValues> host_values;
    /// Called after the run with every entry of the queues that the host reads; not in Timing mode.
    std::function<void(const std::string& queue, std::int64_t entry, Tensor value)> sink;
    bool check = true;       ///< compare with golden (not in Timing mode)
    bool check_ops = false;  ///< besides, every op by itself
    bool strict = false;
};

struct OpReport {
    std::string name, type;
    std::int64_t grid_r = 0, grid_c = 0, device = 0;
    std::int64_t tiles = 0;                         ///< output tiles packed, all cores, all inputs
    std::uint64_t first_cycle = 0, last_cycle = 0;  ///< first unpack, last pack
    std::uint64_t busy_cycles = 0;                  ///< of the busiest core
};
struct GraphReport {
    std::string name;
    std::int64_t device = 0, executes = 0, inputs = 0;
    std::uint64_t cycles = 0;           ///< all its executes, from start to last output
    std::uint64_t active_cycles = 0;    ///< the same, from first unpack to last pack
    double inputs_per_second = 0;       ///< steady, within an execute (base/figures.hpp); 0: unknown
    std::uint64_t first_input_end = 0;  ///< when its first input had left
    std::uint64_t first_input_packed = 0, last_input_packed = 0;  ///< when the last of its cores had packed these
    std::int64_t first_inputs = 0;                                ///< of its first execute
    std::uint64_t first_start = 0;                                ///< of its first execute
    std::uint64_t first_end = 0, last_end = 0;                    ///< of its first and last execute
    std::vector<OpReport> ops;
    /// Of the graph's cycles, in the op's busiest core.
    double busy_share(const OpReport& op) const {
        return share_of(static_cast<double>(op.busy_cycles), static_cast<double>(cycles));
    }
};
/// Of an output or a run. NothingCompared: checked, but there was nothing to judge.
enum class Verdict : std::uint8_t { Pass, Mismatch, IllConditioned, NothingCompared, NotChecked };
std::string to_string(Verdict verdict);

struct OutputReport {
    std::string queue;
    std::string rule;  ///< where the tolerance comes from
    std::string why;   ///< why it is not judged or compared, or only in part; "" when all is
    Comparison comparison;
    QueueComparison::Result result;
    std::int64_t missing = 0, first_missing = 0;        ///< entries golden has and the run did not leave
    std::int64_t unexpected = 0, first_unexpected = 0;  ///< the other way round
    bool ill_conditioned = false;  ///< it differs, but golden moves as far when its inputs move by 1e-6
    double moved = 0;              ///< so far, largest value; 0 when not asked
    NonFinite non_finite;          ///< of the run's values
    NonFinite golden_non_finite;   ///< of golden's, in entries where they leave something out of the comparison
    std::string golden_from;       ///< the op that made the first of these; "": none, they came in
    Verdict verdict() const;       ///< NotChecked: statistics only
};
/// --check ops: one op, all its results.
struct OpCheckReport {
    std::string op, type, graph;
    std::string rule;                     ///< where the tolerance comes from
    std::string why;                      ///< why it is not judged, or only in part; "" when all is
    QueueComparison::Result local;        ///< with golden on the operands that the machine fed the op
    QueueComparison::Result accumulated;  ///< with golden of the whole netlist
    std::int64_t missing = 0;             ///< results golden has and the machine never computed
    Verdict verdict() const;              ///< of `local`
};
struct RunReport {
    std::string netlist, arch, device;
    std::vector<std::string> programs;
    std::vector<ChosenParameter> params;
    Mode mode = Mode::Full;
    Numerics numerics = Numerics::Real;
    std::uint32_t seed = 0;
    std::int64_t inputs_count = 0;  ///< most inputs that one execute of a graph ran
    std::int64_t clock_mhz = 0;
    std::uint64_t cycles = 0;                   ///< whole run; 0 in Functional mode
    std::uint64_t load_cycles = 0;              ///< in which kernels and programs are loaded, of all epochs
    std::optional<std::uint64_t> first_loaded;  ///< when the first epoch was
    double inputs_per_second = 0;               ///< steady: what the run would go on with; 0: unknown
    double end_to_end_per_second = 0;   ///< inputs over all cycles, whatever they were spent on, and host_seconds
    double host_seconds = 0;            ///< of a compiled model: measured time of the host's steps
    bool all_on_host = false;           ///< of a compiled model: its chips compute nothing, and have no rates
    std::uint64_t latency_cycles = 0;   ///< of the first input, from first_loaded to the last graph's end of it
    std::int64_t inputs_skipped = 0;    ///< repeats of inputs that were simulated, added without being so
    std::int64_t plans = 0;             ///< epochs that were elaborated; a later run of the same finds them
    std::vector<GraphReport> graphs;    ///< in order of first execution
    bool checked = false;               ///< compared with golden
    std::vector<OutputReport> outputs;  ///< op-fed queues that no graph reads; empty unless checked
    bool ops_checked = false;
    std::vector<OpCheckReport> ops;               ///< with check_ops, in the order in which the graphs compute them
    std::vector<PerformanceFigure> performance;   ///< of the performance-check section
    std::vector<std::string> notes;               ///< warnings worth showing
    std::optional<Error> trace_failure;           ///< the trace could not be written; nothing else is affected
    Verdict verdict() const;                      ///< over outputs and ops
    const OpCheckReport* first_wrong_op() const;  ///< nullptr: none
    /// The first op that is right by itself and differs from golden of the whole netlist; nullptr: none.
    const OpCheckReport* amplified_from() const;
    bool pass() const { return verdict() != Verdict::Mismatch; }
    bool fast_enough() const;  ///< every judged figure is met
};

/// Throws Error: Input (2), Hang (3, text holds the wait-for chain), Unsupported (4).
RunReport run(const RunOptions& options);

/// `ttsim check`: everything before the run. Returns the arch chosen.
struct CheckReport {
    std::string arch;
    std::vector<std::string> notes;
};
CheckReport check(const RunOptions& options);
/// `ttsim explain`: the Plan of every graph as text.
std::string explain(const RunOptions& options);

}  // namespace ttsim::impl::sim
