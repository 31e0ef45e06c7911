// Places the queues of several models in the memory of one device.
// Queues that a model's programs allocate and free keep their relative addresses and share one area with those of the
// other models, since only one model runs at a time. All other queues get separate memory after that area.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::image {

struct MemoryLimits {
    std::uint64_t reserved = 0;             ///< reserved by the vendor's runtime in each DRAM channel
    std::vector<std::uint64_t> dram, host;  ///< bytes of the channels
    std::uint64_t alignment = 32;           ///< of the addresses of queues
};
/// The limits of a machine, from its descriptors and configs/images.yaml.
MemoryLimits limits_of(const Machine& machine);

struct MovedBuffer {
    std::string queue;
    std::int64_t buffer = 0;
    QueueLoc where = QueueLoc::Dram;
    BufferAddress from, to;
    bool full = false;  ///< its channel was full, so it was moved to another
};

struct MergedMemory {
    std::vector<std::uint64_t> dram, host;  ///< bytes in use per channel, of the fullest chip
    std::vector<MovedBuffer> buffers;       ///< all, in order of the queues
    std::vector<std::string> notes;         ///< full channels, one line each
};

struct PlacingOptions {
    bool switch_channels = true;  ///< move a buffer to another channel if its own is full
    bool overlap_dynamic = true;  ///< allocated and freed queues share one area
};

/// Assigns new addresses to the queues of all netlists. Throws Error(Unsupported) naming queue and bytes if they do not
/// fit.
MergedMemory place_merged_queues(std::vector<Netlist*> netlists, const MemoryLimits& limits,
                                 const PlacingOptions& options);

}  // namespace ttsim::impl::image
