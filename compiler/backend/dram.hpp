// Allocates queue buffers in DRAM.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/arch.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

enum class DramPlacement : std::uint8_t {
    LeastTraffic,      ///< the channel with the least traffic in the epochs that use the buffer
    RoundRobin,        ///< the next channel for every buffer
    FlipFlop,          ///< round robin in one half of the channels for even epochs, in the other half for odd ones
    GreatestCapacity,  ///< the channel with the most free memory
    Closest,           ///< the channel nearest to the core that writes the buffer, or reads it
};
std::optional<DramPlacement> parse_placement(std::string_view name);
std::vector<std::string> placement_names();

/// Divides a tensor of {slices, rows, columns} tiles into buffers for as many channels as rows and columns allow. A
/// single channel would be a bottleneck.
Blocking spread(const std::vector<std::int64_t>& tiles, std::int64_t channels);

/// The epochs and cores that use a queue.
struct QueueUse {
    std::int64_t first_epoch = -1, last_epoch = -1;  ///< -1: always
    std::int64_t home = -1;                          ///< epoch that writes it; -1: the host
    std::vector<NocCoord> cores;                     ///< cores to place its buffers near, one per buffer or one for all
    std::vector<std::size_t> moved;                  ///< epochs that transfer an entry, once per transfer
};

/// No memory has room for a queue (Fault::Unsupported).
class DramFull : public Error {
public:
    using Error::Error;
};

class DramAllocator {
public:
    DramAllocator(const ChipParams& chip, DramPlacement placement);
    /// Adds the buffers, all in channel `only` if given. Queues that are never in use at the same time may overlap.
    /// Throws DramFull, and Error(Input) for a channel that the chip lacks.
    void place(Queue& queue, const QueueUse& use, std::optional<std::int64_t> only = {});

private:
    struct Block {
        std::uint64_t begin = 0, end = 0;
        std::int64_t first_epoch = 0, last_epoch = 0;
    };
    std::vector<std::size_t> order(const QueueUse& use, std::int64_t buffer);
    std::optional<std::uint64_t> room(std::size_t memory, std::uint64_t bytes, const QueueUse& use) const;
    std::size_t channel(std::size_t memory) const { return memory % chip_.dram.size(); }
    double traffic(std::size_t memory, const QueueUse& use) const;

    const ChipParams& chip_;
    DramPlacement placement_;
    // A channel may have several memories at consecutive addresses. Order: the first memory of all channels, then the
    // second.
    std::vector<std::vector<Block>> blocks_;              // per memory, by address
    std::vector<std::map<std::size_t, double>> traffic_;  // per memory and epoch: bytes of an input
    std::size_t next_ = 0;
};

}  // namespace ttsim::impl::ir
