// Plays traffic from files on the NoC model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/noc/fabric.hpp"
#include "sim/noc/trace.hpp"

namespace ttsim::impl::noc {

/// One barrier of one processor: when it began in the replay, how long it took there and in the recording.
struct BarrierTime {
    std::size_t chip = 0;  ///< of Trace::chips
    NocCoord core;
    std::string process;
    double start = 0, recorded = 0, predicted = 0;
};

struct BarrierSummary {
    std::size_t count = 0;
    double recorded = 0, predicted = 0;  ///< cycles, summed
    double mean_error = 0;               ///< sum of |predicted - recorded|, in percent of `recorded`
};

/// What each of several chips did.
struct ChipReplay {
    std::int64_t device = -1;
    double total_cycles = 0, golden_cycles = 0;
};

struct ReplayResult {
    double total_cycles = 0;              ///< of several chips, the one that takes longest
    std::optional<double> golden_cycles;  ///< as recorded
    BarrierSummary barriers;
    std::vector<BarrierTime> barrier_times;  ///< in the order in which they ended
    Fabric::Use links, nius, dram;           ///< percent; of several chips the mean, and the busiest of all
    std::uint64_t packets = 0, events = 0;
    std::vector<ChipReplay> chips;  ///< empty with one
};

enum class Loop {
    Closed,  ///< a processor's next call waits for its barrier, with the recorded gap behind it
    Open,    ///< calls are made at their recorded times
};

/// Throws Error(Hang) when packets wait for each other for good.
ReplayResult replay(const Trace& trace, const Topology& topology, const Constants& constants, Loop loop);
ReplayResult replay(const Workload& workload, const Topology& topology, const Constants& constants);

}  // namespace ttsim::impl::noc
