// Basic analysis of a trace: speed of the epochs, their limiting ops, and the limits of these.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/perf_formulas.hpp"
#include "base/training_figures.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::trace {

/// What limits an op: the largest part of the cycles of its busiest core, without waits for producers (tiles not
/// computed yet) and for consumers (room not freed yet).
enum class Limit : std::uint8_t { None, Math, Unpack, Pack, InputNoc, InputDram, Output };
std::string to_string(Limit limit);  ///< "math", "input NoC", ...; "-" for None

/// One op of an epoch. Cycles are per input, of the core with the most. Simulated cycles exclude the first of several
/// inputs, which waits for weights.
struct OpUse {
    std::int64_t id = 0;
    std::string name, type, graph;
    bool matmul = false;
    std::int64_t chip = 0, grid_r = 0, grid_c = 0;
    std::int64_t inputs = 0;      ///< finished or begun
    std::int64_t tiles = 0;       ///< packed tiles over all cores and inputs
    double est_cycles = 0;        ///< maximum of unpack, math and pack alone
    double kernel_cycles = 0;     ///< the three stages coupled; operands always available, output never blocked
    double math_cycles = 0;       ///< cycles of math alone
    double bw_kernel_cycles = 0;  ///< as simulated, without waits for other ops (see Limit)
    double cycles = 0;            ///< as simulated, with all waits
    Limit limit = Limit::None;
    double wait_source_cycles = 0, wait_room_cycles = 0;
    double math_utilization = 0;         ///< over all its cores, from first unpack to last pack
    double in_bytes = 0, out_bytes = 0;  ///< bytes per input, of the core with the most

    // fractions of `cycles`
    double wait_source_share() const { return share_of(wait_source_cycles, cycles); }
    double wait_room_share() const { return share_of(wait_room_cycles, cycles); }
    // bandwidth needed to run at kernel speed, and bandwidth as simulated
    double in_bytes_per_cycle_needed() const { return kernel_cycles > 0 ? in_bytes / kernel_cycles : 0; }
    double in_bytes_per_cycle_got() const { return cycles > 0 ? in_bytes / cycles : 0; }
    double out_bytes_per_cycle_needed() const { return kernel_cycles > 0 ? out_bytes / kernel_cycles : 0; }
    double out_bytes_per_cycle_got() const { return cycles > 0 ? out_bytes / cycles : 0; }
};

struct EpochUse {
    std::int64_t id = 0, plan = 0;
    std::string graphs, chips, status;  ///< "fwd_0,fwd_1"; "[0,1]"
    std::string epoch_type;             ///< "forward", ...; "": the netlist does not train
    std::int64_t inputs = 0, start_cycle = 0, cycles = 0;
    double inputs_per_second = 0;  ///< simulated steady rate; 0: unknown
    double speed_per_second = 0;   ///< rate at the largest bw_kernel_cycles, if no op waited for another
    std::int64_t cores = 0, matmul_cores = 0;
    std::int64_t chip_cores = 0;    ///< of the chips that run its ops
    std::int64_t math_cycles = 0;   ///< in which FPU or SFPU of a core are busy, over all cores
    double utilization = 0;         ///< computing fraction of all cores of its chips, at that rate
    double math_utilization = 0;    ///< fraction of the epoch's cycles in which FPU or SFPU is busy, over its cores
    double matmul_utilization = 0;  ///< math utilization over the cores of matmuls
    std::string limiting_op;        ///< the op with the largest bw_kernel_cycles; "" without ops
    Limit limit = Limit::None;      ///< limit of that op
};

struct ResourceUse {
    std::string kind, name;
    double bytes_per_cycle = 0;
    std::int64_t transfers = 0, bytes = 0, busy_cycles = 0, queueing_cycles = 0;
    double utilization = 0;       ///< over the whole run
    double peak_utilization = 0;  ///< in the busiest time bucket
};

/// Waits of an operand whose tiles were already packed: for the rest of the block that its producer sends as a whole,
/// or for other readers of the previous block. Cycles per input, of the operand's pipe with the most.
struct OutputStreamingWait {
    std::string source, reader;  ///< ops
    std::int64_t operand = 0;    ///< of the reader
    double block_cycles = 0, lockstep_cycles = 0;
};

/// An op's part in the utilization of its epoch, at its bw_kernel_cycles.
OpShare op_share(const OpUse& op);
using ChipCores = std::map<std::int64_t, std::int64_t>;  ///< chip -> cores
ChipCores chip_cores(Reader& trace);
/// Number of cores of the chips that run these ops.
double cores_of_chips(const ChipCores& cores, const std::vector<const OpUse*>& ops);

/// An epoch and its ops; epochs that repeat another share them.
struct EpochOps {
    EpochUse epoch;
    std::shared_ptr<const std::vector<OpUse>> ops;
};
std::vector<EpochOps> epochs_with_ops(Reader& trace);
std::vector<EpochUse> epochs(Reader& trace);
/// Figures of the steps of training; nullopt: the netlist does not train.
std::optional<TrainingUse> training_use(const RunInfo& run, const std::vector<EpochUse>& epochs);
/// One epoch. Throws Error(Input) when the trace has no such epoch, as ops() does.
EpochOps epoch_with_ops(Reader& trace, std::int64_t id);
std::vector<OpUse> ops(Reader& trace, std::int64_t epoch);
/// Longest first; only operands that waited.
std::vector<OutputStreamingWait> output_streaming_waits(Reader& trace, std::int64_t epoch);
/// Busiest first.
std::vector<ResourceUse> resources(Reader& trace);

}  // namespace ttsim::impl::trace
