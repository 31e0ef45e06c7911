// Where in DRAM a queue's buffers lie.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/arch.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

enum class DramPlacement : std::uint8_t {
    LeastTraffic,      ///< the channel with least to carry in the epochs that use the buffer
    RoundRobin,        ///< the next channel for every buffer
    FlipFlop,          ///< the same in one half of the channels for even epochs, in the other for odd ones
    GreatestCapacity,  ///< the channel with most room left
    Closest,           ///< the channel nearest to the core that writes the buffer, or reads it
};
std::optional<DramPlacement> parse_placement(std::string_view name);
std::vector<std::string> placement_names();

/// Cuts a tensor of {slices, rows, columns} tiles over as many channels as rows and columns allow: one channel alone
/// would hold up all readers.
Blocking spread(const std::vector<std::int64_t>& tiles, std::int64_t channels);

/// When a queue is in use, and by whom.
struct QueueUse {
    std::int64_t first_epoch = -1, last_epoch = -1;  ///< -1: always
    std::int64_t home = -1;                          ///< epoch that writes it; -1: the host
    std::vector<NocCoord> cores;                     ///< near which its buffers lie, one for each or one for all
    std::vector<std::size_t> moved;                  ///< epochs in which an input of it is moved, once for each time
};

/// A queue for which no memory has room (Fault::Unsupported).
class DramFull : public Error {
public:
    using Error::Error;
};

class DramAllocator {
public:
    DramAllocator(const ChipParams& chip, DramPlacement placement);
    /// Adds the buffers, all in `only` where it is given. Queues that are never in use together may overlap. Throws
    /// Error(Unsupported) when DRAM is full, Error(Input) for a channel the chip lacks.
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
    // a channel may hold several memories, one after the other in its addresses: first all channels' first ones
    std::vector<std::vector<Block>> blocks_;              // per memory, by address
    std::vector<std::map<std::size_t, double>> traffic_;  // per memory and epoch: bytes of an input
    std::size_t next_ = 0;
};

}  // namespace ttsim::impl::ir
