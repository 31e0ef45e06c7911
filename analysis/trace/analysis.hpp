// First questions to a trace: how fast were the epochs, which op held each back, and by what.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/trace/perf_formulas.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::trace {

/// What the cycles of an op's busiest core went to, of what the op itself can change: waits for tiles nobody had made
/// yet, and for room that consumers had not freed, are not among them.
enum class Limit : std::uint8_t { None, Math, Unpack, Pack, InputNoc, InputDram, Output };
std::string to_string(Limit limit);  ///< "math", "input NoC", ...; "-" for None

/// One op of an epoch. Cycles are per input, of the core with most of them; what was simulated is without the first
/// input where there are more, which waits for weights.
struct OpUse {
    std::int64_t id = 0;
    std::string name, type, graph;
    bool matmul = false;
    std::int64_t chip = 0, grid_r = 0, grid_c = 0;
    std::int64_t inputs = 0;      ///< finished or begun
    std::int64_t tiles = 0;       ///< packed, all cores and inputs
    double est_cycles = 0;        ///< the busiest of unpack, math and pack alone
    double kernel_cycles = 0;     ///< the three coupled; inputs always there, outputs always taken
    double math_cycles = 0;       ///< of math alone
    double bw_kernel_cycles = 0;  ///< as simulated, without the waits for others: see Limit
    double cycles = 0;            ///< as simulated, with all waits
    Limit limit = Limit::None;
    double wait_source_cycles = 0, wait_room_cycles = 0;
    double math_utilization = 0;         ///< of all its cores, from first unpack to last pack
    double in_bytes = 0, out_bytes = 0;  ///< per input, of the core with most

    // of `cycles`
    double wait_source_share() const { return share_of(wait_source_cycles, cycles); }
    double wait_room_share() const { return share_of(wait_room_cycles, cycles); }
    // to run at kernel speed, and as simulated
    double in_bytes_per_cycle_needed() const { return kernel_cycles > 0 ? in_bytes / kernel_cycles : 0; }
    double in_bytes_per_cycle_got() const { return cycles > 0 ? in_bytes / cycles : 0; }
    double out_bytes_per_cycle_needed() const { return kernel_cycles > 0 ? out_bytes / kernel_cycles : 0; }
    double out_bytes_per_cycle_got() const { return cycles > 0 ? out_bytes / cycles : 0; }
};

struct EpochUse {
    std::int64_t id = 0, plan = 0;
    std::string graphs, chips, status;  ///< "fwd_0,fwd_1"; "[0,1]"
    std::int64_t inputs = 0, start_cycle = 0, cycles = 0;
    double inputs_per_second = 0;  ///< steady, as simulated; 0: unknown
    double speed_per_second = 0;   ///< inputs at the pace of the largest bw_kernel: if no op waited for another
    std::int64_t cores = 0, matmul_cores = 0;
    double utilization = 0;         ///< share of all cores of its chips that compute, at that pace
    double math_utilization = 0;    ///< share of the epoch's cycles in which FPU or SFPU work, over its cores
    double matmul_utilization = 0;  ///< the same over the cores of matmuls
    std::string limiting_op;        ///< the op with the largest bw_kernel_cycles; "" without ops
    Limit limit = Limit::None;      ///< of that op
};

struct ResourceUse {
    std::string kind, name;
    double bytes_per_cycle = 0;
    std::int64_t transfers = 0, bytes = 0, busy_cycles = 0, queueing_cycles = 0;
    double utilization = 0;       ///< of the whole run
    double peak_utilization = 0;  ///< of the busiest time bucket
};

/// What an operand waited for though its tiles were packed: the rest of the block that its producer hands over at once,
/// or other readers of the block before. Cycles per input, of the operand's pipe with most of them.
struct OutputStreamingWait {
    std::string source, reader;  ///< ops
    std::int64_t operand = 0;    ///< of the reader
    double block_cycles = 0, lockstep_cycles = 0;
};

/// An op as a part of its epoch, at the pace of its bw_kernel.
OpShare op_share(const OpUse& op);
using ChipCores = std::map<std::int64_t, std::int64_t>;  ///< chip -> cores
ChipCores chip_cores(Reader& trace);
/// Of the chips that have ops.
double cores_in_reach(const ChipCores& cores, const std::vector<const OpUse*>& ops);

std::vector<EpochUse> epochs(Reader& trace);
/// One epoch. Throws Error(Input) when the trace has none of that number, as ops() does.
EpochUse epoch(Reader& trace, std::int64_t id);
std::vector<OpUse> ops(Reader& trace, std::int64_t epoch);
/// Longest first; none that did not wait.
std::vector<OutputStreamingWait> output_streaming_waits(Reader& trace, std::int64_t epoch);
/// Busiest first.
std::vector<ResourceUse> resources(Reader& trace);

}  // namespace ttsim::impl::trace
