// One Ethernet link between two chips: what a message takes on the wire, in the cores at its ends and on its whole way.
#pragma once

#include <cstdint>

namespace ttsim::impl::sim {

/// What the receiving Ethernet core does with a message.
enum class EthReceiver : std::uint8_t {
    Keep,            ///< nothing: it stays in its memory
    Forward,         ///< writes it to a Tensix core, writes under way told apart by transaction ids
    ForwardFlushed,  ///< the same without ids: waits until its writes are done before it acknowledges
};

/// Clocks are AI clock cycles; bytes per clock.
struct EthTiming {
    double rate = 12.5;          ///< of the wire, each way
    double packet = 1500;        ///< payload of an Ethernet packet, at most
    double overhead = 50;        ///< bytes around it
    double loop = 8;             ///< a turn of the core's program
    double send = 49;            ///< and a message sent in it
    double receive = 23;         ///< or taken and acknowledged
    double forward = 43;         ///< or written on to a Tensix core, besides
    double flush = 28;           ///< until such a write is done
    double no_ids = 8;           ///< work saved without transaction ids
    double acknowledge = 16;     ///< bytes of an acknowledgement
    double one_way = 440;        ///< from one core's memory to the other's, beyond the wire
    double forward_way = 90;     ///< on to the Tensix core and its answer
    double forward_rate = 30;    ///< there
    double relay = 265;          ///< a packet router's work on each hop
    double relay_spread = 0.03;  ///< of the mean: the fastest and slowest way

    /// Of a message on the wire, packets' overhead included.
    double wire(std::uint64_t bytes) const;
    /// Between messages of a long stream.
    double interval(EthReceiver receiver, bool both_ways, std::uint64_t bytes) const;
    /// From the start of a message until its acknowledgement is back.
    double round_trip(EthReceiver receiver, std::uint64_t bytes) const;
    /// One way: until the last byte is in the memory of the other side.
    double arrival(std::uint64_t bytes) const;
    /// One hop of a message that packet routers pass on from chip to chip.
    double relay_hop(std::uint64_t bytes) const { return relay + arrival(bytes); }
};

}  // namespace ttsim::impl::sim
