// Replays traffic from files on the NoC model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/noc/fabric.hpp"
#include "sim/noc/trace.hpp"

namespace ttsim::impl::noc {

/// One barrier of one processor: its start in the replay, and its duration in replay and recording, in cycles.
struct BarrierTime {
    std::size_t chip = 0;  ///< index in Trace::chips
    NocCoord core;
    std::string process;
    double start = 0, recorded = 0, predicted = 0;
};

struct BarrierSummary {
    std::size_t count = 0;
    double recorded = 0, predicted = 0;  ///< cycles, summed
    double mean_error = 0;               ///< sum of |predicted - recorded|, in percent of `recorded`
};

/// Result of one of several chips.
struct ChipReplay {
    std::int64_t device = -1;
    double total_cycles = 0, golden_cycles = 0;
};

struct ReplayResult {
    double total_cycles = 0;              ///< of the chip that takes longest
    std::optional<double> golden_cycles;  ///< recorded cycles
    BarrierSummary barriers;
    std::vector<BarrierTime> barrier_times;  ///< in the order in which they ended
    Fabric::Use links, nius, dram;           ///< percent; for several chips the mean over chips, and the maximum of all
    std::uint64_t packets = 0, events = 0;
    std::vector<ChipReplay> chips;  ///< empty for a single chip
};

enum class Loop {
    Closed,  ///< a processor's next call waits for its barrier, plus the recorded gap after it
    Open,    ///< calls are issued at their recorded times
};

/// Throws Error(Hang) when packets deadlock.
ReplayResult replay(const Trace& trace, const Topology& topology, const Constants& constants, Loop loop);
ReplayResult replay(const Workload& workload, const Topology& topology, const Constants& constants);

}  // namespace ttsim::impl::noc
