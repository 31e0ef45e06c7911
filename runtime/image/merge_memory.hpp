// Where the queues of several models lie in the memory of one device.
//
// Queues that a model's programs allocate and free keep their places among each other, and all models have theirs in
// one area: only one model runs at a time. Behind it every other queue has a place of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::image {

struct MemoryLimits {
    std::uint64_t reserved = 0;             ///< of each DRAM channel, by the runtime of the original
    std::vector<std::uint64_t> dram, host;  ///< bytes of the channels
};
/// Of a machine, by its descriptors and configs/images.yaml.
MemoryLimits limits_of(const Machine& machine);

struct MovedBuffer {
    std::string queue;
    std::int64_t buffer = 0;
    QueueLoc where = QueueLoc::Dram;
    BufferAddress from, to;
    bool full = false;  ///< its channel was, so it got another
};

struct MergedMemory {
    std::vector<std::uint64_t> dram, host;  ///< bytes in use by channel, of the fullest chip
    std::vector<MovedBuffer> buffers;       ///< all, in order of the queues
    std::vector<std::string> notes;         ///< channels that were full, one line each
};

struct PlacingOptions {
    bool switch_channels = true;  ///< a buffer goes to another channel when its own is full
    bool overlap_dynamic = true;  ///< queues that are allocated and freed share one area
};

/// Gives the queues of all netlists new addresses. Throws Error(Unsupported) naming queue and bytes when they do not
/// fit.
MergedMemory place_together(std::vector<Netlist*> netlists, const MemoryLimits& limits, const PlacingOptions& options);

}  // namespace ttsim::impl::image
