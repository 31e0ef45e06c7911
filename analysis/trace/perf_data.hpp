// All data of a trace that the analyzer shows. It can be stored in a file and shown without the trace.
#pragma once

#include <array>
#include <map>

#include "analysis/trace/analysis.hpp"

namespace ttsim::impl::trace {

/// Classification of a core's cycles, in the order of CoreCycles::causes.
enum class Cause : std::uint8_t { Math, Unpack, Source, Noc, Dram, Room, Output, Dst, Packer, Drain };
inline constexpr std::size_t cause_count = 10;
std::string to_string(Cause cause);  ///< the title of its column: "math", "source", ...

/// Cycles of a core of an op in an epoch, over all its inputs.
struct CoreCycles {
    std::int64_t op = 0, id = 0, x = 0, y = 0;  ///< NoC 0 coordinates
    std::int64_t inputs = 0, start = 0, end = 0, tiles = 0, math = 0;
    std::array<std::int64_t, cause_count> causes{};
    /// Fraction of the cycles from first unpack to last pack.
    double share(Cause cause) const;
    double busy_share() const { return share(Cause::Math) + share(Cause::Unpack); }
};

/// A pipe to an operand, or the writer of a core, in an epoch.
struct PipeUse {
    std::string kind;  ///< "operand"; "resident": once per execute; "writer": from `op` to `queue`
    std::int64_t op = 0, operand = 0;
    std::int64_t from_op = -1;  ///< -1: none
    std::int64_t queue = -1;    ///< index in PerfData::queues; -1: none
    std::string place;          ///< location of the source or destination: "l1", "dram", "host"
    std::vector<std::int64_t> cores;
    std::int64_t input_bytes = 0;  ///< bytes of one input
    std::int64_t bytes = 0;        ///< bytes of all inputs
    /// Cycles: `span` from the first transfer to the last arrival; `in_flight` summed over chunks; `wait_*` without
    /// data to send, or without room at the receiver.
    std::int64_t span = 0, in_flight = 0, wait_source = 0, wait_room = 0, wait_block = 0, wait_lockstep = 0;
    /// Cycles per input in which the pipe is not waiting.
    double active_cycles() const;
};

/// A link, memory channel or port over the run.
struct Resource {
    std::string kind, name;  ///< kind: "noc", "dram", "pcie", "ethernet"
    std::int64_t chip = 0, x = -1, y = -1, channel = -1, to_chip = -1;
    std::string direction;  ///< direction of a NoC link leaving node x-y; "in", "out": ports of its NIU
    double bytes_per_cycle = 0;
    std::int64_t transfers = 0, bytes = 0, busy = 0, queueing = 0;
    std::vector<double> buckets;  ///< busy cycles of each PerfData::run.bucket_cycles
    /// Busy cycles between two times, with buckets of this many cycles. A bucket that is partly inside counts in
    /// proportion.
    double busy_between(double bucket, double begin, double end) const;
};

struct QueuePlace {
    std::string name;
    std::int64_t chip = 0;
    std::vector<std::int64_t> channels;  ///< DRAM channels of its buffers
};

struct EpochDetail {
    std::vector<OpUse> ops;
    std::vector<CoreCycles> cores;
    std::vector<PipeUse> pipes;
};

/// Blocks of an op, as in the netlist.
struct OpBlocks {
    std::int64_t mblock_m = 0, mblock_n = 0, ublock_rt = 0, ublock_ct = 0, t = 0, m_k = 0, u_kt = 0;
};
/// The compiler's estimate for an op, in cycles per input; limit_cycles includes its transfers.
struct OpEstimate {
    double kernel_cycles = 0, limit_cycles = 0;
};

struct PerfData {
    RunInfo run;
    ChipCores chip_cores;
    std::vector<EpochUse> epochs;
    std::map<std::int64_t, std::int64_t> same_as;  ///< epoch -> an earlier epoch with identical rows
    std::map<std::int64_t, EpochDetail> details;   ///< of epochs without entry in same_as
    std::vector<QueuePlace> queues;
    std::vector<Resource> resources;
    std::map<std::string, OpBlocks> blocks;       ///< by op
    std::map<std::string, OpEstimate> estimates;  ///< by op; only of compiled models with estimates

    /// Throws Error(Input) when there is no such epoch.
    const EpochDetail& detail(std::int64_t epoch) const;
    double clock_hz() const { return 1e6 * static_cast<double>(run.clock_mhz); }
};

/// The pipes of an epoch in the order of the trace.
std::vector<PipeUse> pipe_uses(Reader& trace, std::int64_t epoch);

std::vector<Resource> all_resources(Reader& trace);

/// Reads everything except blocks and estimates, which are not in a trace's tables.
PerfData read_perf_data(Reader& trace);

}  // namespace ttsim::impl::trace
