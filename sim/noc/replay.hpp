// Plays traffic from files on the NoC model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/noc/fabric.hpp"
#include "sim/noc/trace.hpp"

namespace tt::noc {

/// One barrier of one processor: when it began in the replay, how long it took there and in the recording.
struct BarrierTime {
    NocCoord core;
    std::string process;
    double start = 0, recorded = 0, predicted = 0;
};

struct BarrierSummary {
    std::size_t count = 0;
    double recorded = 0, predicted = 0;  ///< cycles, summed
    double mean_error = 0;               ///< sum of |predicted - recorded|, in percent of `recorded`
};

struct ReplayResult {
    double total_cycles = 0;
    std::optional<double> golden_cycles;  ///< as recorded
    BarrierSummary barriers;
    std::vector<BarrierTime> barrier_times;  ///< in the order in which they ended
    Fabric::Use links, nius, dram;           ///< percent
    std::uint64_t packets = 0, events = 0;
};

enum class Loop {
    Closed,  ///< a processor's next call waits for its barrier, with the recorded gap behind it
    Open,    ///< calls are made at their recorded times
};

/// Throws Error(Hang) when packets wait for each other for good.
ReplayResult replay(const Trace& trace, const Topology& topology, const Constants& constants, Loop loop);
ReplayResult replay(const Workload& workload, const Topology& topology, const Constants& constants);

}  // namespace tt::noc
