// Utilization and users of links, memory channels and ports during one epoch.
#pragma once

#include <string>
#include <vector>

#include "analysis/trace/perf_data.hpp"

namespace ttsim::impl::trace {

struct ResourceUser {
    std::string name;  ///< a queue, an op, or "op > op"
    double bytes = 0;  ///< 0: unknown
};

struct EpochResource {
    const Resource* resource = nullptr;
    double share = 0;  ///< busy fraction of the epoch's cycles, estimated from the time buckets that overlap it
    double bytes = 0;  ///< estimated in the same way
    std::vector<ResourceUser> users;  ///< most bytes first
};

/// Resources that were busy, busiest first. Throws Error(Input) when there is no such epoch.
std::vector<EpochResource> epoch_resources(const PerfData& data, std::int64_t epoch);

}  // namespace ttsim::impl::trace
