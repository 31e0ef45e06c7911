// What a run found out: cycles, outputs and their verdicts.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/figures.hpp"
#include "base/training_figures.hpp"
#include "isa/uncertainty.hpp"
#include "netlist/compare/compare.hpp"
#include "netlist/program/parameters.hpp"
#include "sim/settings/settings.hpp"
#include "sim/state/performance_record.hpp"
#include "sim/values/non_finite.hpp"

namespace ttsim::impl::sim {

struct OpReport {
    std::string name, type;
    std::set<Connection> connections;  ///< of its operands
    std::int64_t grid_r = 0, grid_c = 0, device = 0;
    std::int64_t tiles = 0;                         ///< output tiles packed, all cores, all inputs
    std::uint64_t first_cycle = 0, last_cycle = 0;  ///< first unpack, last pack
    std::uint64_t busy_cycles = 0;                  ///< busy cycles of the busiest core
    std::int64_t l1_bytes = 0;                      ///< its buffers in a core's L1; the most of its epochs
};
struct GraphReport {
    std::string name;
    std::int64_t device = 0, executes = 0, inputs = 0;
    std::uint64_t cycles = 0;           ///< over all executes, each from its start to its last output
    std::uint64_t active_cycles = 0;    ///< over all executes, each from first unpack to last pack
    std::uint64_t math_cycles = 0;      ///< in which FPU or SFPU of a core are busy, over all cores and executes
    std::uint64_t core_cycles = 0;      ///< cores of its ops x cycles of an execute, over all executes
    double inputs_per_second = 0;       ///< steady rate within an execute (base/figures.hpp); 0: unknown
    std::uint64_t first_input_end = 0;  ///< cycle in which its first input was complete
    std::uint64_t first_input_packed = 0,
                  last_input_packed = 0;        ///< cycle in which the last of its cores packed that input
    std::int64_t first_inputs = 0;              ///< inputs of its first execute
    std::uint64_t first_start = 0;              ///< start of its first execute
    std::uint64_t first_end = 0, last_end = 0;  ///< ends of its first and last execute
    std::vector<OpReport> ops;
    std::optional<EpochType> epoch_type;  ///< of a netlist that trains
    /// Busy cycles of the busiest op; nullptr: none was busy.
    const OpReport* slowest_op() const;
    /// Part of its cores' time in which they compute.
    double math_utilization() const {
        return share_of(static_cast<double>(math_cycles), static_cast<double>(core_cycles));
    }
    /// Busy cycles of the op's busiest core, as a fraction of the graph's cycles.
    double busy_share(const OpReport& op) const {
        return share_of(static_cast<double>(op.busy_cycles), static_cast<double>(cycles));
    }
};
/// Memory that a run uses (docs/figures.md "Memory"). A share is of the core, chip or channel in which it is largest.
struct MemoryUse {
    std::int64_t l1_bytes = 0;           ///< buffers of an op in the L1 of a core
    double l1_share = 0;                 ///< of the L1 that is left to buffers
    std::int64_t dram_bytes = 0;         ///< queues in the DRAM of a chip
    double dram_share = 0;               ///< of the chip's DRAM
    std::uint64_t dram_busy_cycles = 0;  ///< of a DRAM memory: a channel, or a block of one
};
/// Verdict on an output or a run. NothingCompared: checked, but no element could be compared.
enum class Verdict : std::uint8_t { Pass, Mismatch, IllConditioned, NothingCompared, NotChecked };
std::string to_string(Verdict verdict);

struct OutputReport {
    std::string queue;
    std::string rule;  ///< where the tolerance comes from
    std::string why;   ///< why it is not judged or compared, or only in part; "" when it is fully judged
    Comparison comparison;
    QueueComparison::Result result;
    std::int64_t missing = 0, first_missing = 0;        ///< entries that golden has and the run did not write
    std::int64_t unexpected = 0, first_unexpected = 0;  ///< entries that the run wrote and golden does not have
    bool ill_conditioned = false;  ///< it differs, but golden changes as much when its inputs change by 1e-6
    double moved = 0;              ///< largest change of golden with perturbed inputs; 0: not computed
    NonFinite non_finite;          ///< of the run's values
    NonFinite golden_non_finite;   ///< of golden's values, in entries where they exclude elements from the comparison
    std::string golden_from;       ///< the op that produced the first of these; "": they are in the host inputs
    Verdict verdict() const;       ///< NotChecked: statistics only
};
/// --check ops: one op, all its results.
struct OpCheckReport {
    std::string op, type, graph;
    std::string rule;                     ///< where the tolerance comes from
    std::string why;                      ///< why it is not judged, or only in part; "" when it is fully judged
    QueueComparison::Result local;        ///< against golden on the operands that the machine passed to the op
    QueueComparison::Result accumulated;  ///< against golden of the whole netlist
    std::int64_t missing = 0;             ///< results that golden has and the machine did not compute
    Verdict verdict() const;              ///< of `local`
};
struct RunReport {
    std::string netlist, arch, device;
    bool validated = false;  ///< ChipParams::validated of the chip
    std::vector<std::string> programs;
    std::vector<ChosenParameter> params;
    Mode mode = Mode::Full;
    Numerics numerics = Numerics::Real;
    std::uint32_t seed = 0;
    std::int64_t inputs_count = 0;  ///< largest number of inputs of one execute
    std::int64_t clock_mhz = 0;
    std::uint64_t cycles = 0;                   ///< of the whole run; 0 in Functional mode
    std::uint64_t load_cycles = 0;              ///< cycles of loading kernels and programs, summed over all epochs
    std::optional<std::uint64_t> first_loaded;  ///< cycle in which the first epoch was loaded
    double inputs_per_second = 0;               ///< steady rate of the run; 0: unknown
    bool rate_of_loop = false;                  ///< that rate is one of loops: pauses between executes count
    double end_to_end_per_second = 0;           ///< inputs divided by the time of all cycles plus host_seconds
    double host_seconds = 0;                    ///< of a compiled model: measured time of the host steps
    bool all_on_host = false;                   ///< of a compiled model: the chips compute nothing and have no rates
    std::uint64_t latency_cycles =
        0;  ///< latency of the first input: from first_loaded until the last graph has finished it
    std::uint64_t pushed_before = 0;    ///< cycles of the host's pushes before cycle 0, on the busiest link
    std::uint64_t last_pop = 0;         ///< cycle in which the host has the last entry that it popped; 0: none
    double push_to_pop_per_second = 0;  ///< inputs divided by push_to_pop_cycles()
    std::uint64_t push_to_pop_cycles() const { return last_pop == 0 ? 0 : pushed_before + last_pop; }
    MemoryUse memory;
    std::int64_t inputs_skipped = 0;      ///< inputs that were extrapolated instead of simulated
    std::int64_t plans = 0;               ///< epochs that were elaborated; repeated launches reuse their plans
    std::vector<GraphReport> graphs;      ///< in order of first execution
    std::optional<TrainingUse> training;  ///< of a netlist that trains
    bool checked = false;                 ///< compared with golden
    std::vector<OutputReport> outputs;    ///< queues that an op writes and no graph reads; empty unless checked
    bool ops_checked = false;
    std::vector<OpCheckReport> ops;              ///< with check_ops, in the order in which the graphs compute them
    std::vector<PerformanceFigure> performance;  ///< of the performance-check section
    std::vector<std::string> notes;              ///< warnings for the user
    std::optional<Error> trace_failure;  ///< set when the trace could not be written; the rest of the report is valid
    double math_utilization() const;     ///< part of the time of the graphs' cores in which they compute
    double dram_busy_share() const;      ///< busy share of the busiest DRAM memory
    Verdict verdict() const;             ///< combined verdict of outputs and ops
    const OpCheckReport* first_wrong_op() const;  ///< nullptr: none
    /// The first op that passes by itself but differs from golden of the whole netlist; nullptr: none.
    const OpCheckReport* amplified_from() const;
    bool pass() const { return verdict() != Verdict::Mismatch; }
    bool fast_enough() const;  ///< every judged performance figure meets its target
};

}  // namespace ttsim::impl::sim
