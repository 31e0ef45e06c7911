// Links, memory channels and ports while one epoch runs, and who uses them.
#pragma once

#include <string>
#include <vector>

#include "analysis/trace/perf_data.hpp"

namespace ttsim::impl::trace {

struct ResourceUser {
    std::string name;  ///< a queue, an op, or "op > op"
    double bytes = 0;  ///< 0: not known
};

struct EpochResource {
    const Resource* resource = nullptr;
    double share = 0;                 ///< of the epoch's cycles, from the time buckets of the trace that it touches
    double bytes = 0;                 ///< likewise
    std::vector<ResourceUser> users;  ///< most bytes first
};

/// Those that were busy, busiest first. Throws Error(Input) when there is no such epoch.
std::vector<EpochResource> epoch_resources(const PerfData& data, std::int64_t epoch);

}  // namespace ttsim::impl::trace
