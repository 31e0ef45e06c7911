// Timing of one Ethernet link between two chips: wire time, time in the Ethernet cores, and latency of a message.
#pragma once

#include <cstdint>

namespace ttsim::impl::sim {

/// What the receiving Ethernet core does with a message.
enum class EthReceiver : std::uint8_t {
    Keep,            ///< nothing: the message stays in its memory
    Forward,         ///< writes it to a Tensix core; transaction ids identify writes in flight
    ForwardFlushed,  ///< writes it to a Tensix core without ids: waits for all writes before it acknowledges
};

/// Clocks are AI clock cycles; bytes per clock.
struct EthTiming {
    double rate = 12.5;          ///< rate of the wire, in each direction
    double packet = 1500;        ///< largest payload of an Ethernet packet, in bytes
    double overhead = 50;        ///< overhead of a packet, in bytes
    double loop = 8;             ///< one iteration of the core's program
    double send = 49;            ///< plus: sending a message
    double receive = 23;         ///< plus: receiving and acknowledging a message
    double forward = 43;         ///< plus: writing a received message to a Tensix core
    double flush = 28;           ///< until such a write is complete
    double no_ids = 8;           ///< work saved without transaction ids
    double acknowledge = 16;     ///< bytes of an acknowledgement
    double one_way = 440;        ///< latency from one core's memory to the other's, without the wire time
    double forward_way = 90;     ///< latency to the Tensix core and back
    double forward_rate = 30;    ///< bytes per clock to the Tensix core
    double relay = 265;          ///< time of a packet router per hop
    double relay_spread = 0.03;  ///< deviation of the fastest and slowest route, as a fraction of the mean

    /// Clocks of a message on the wire, with the overhead of its packets.
    double wire(std::uint64_t bytes) const;
    /// Clocks between messages of a long stream.
    double interval(EthReceiver receiver, bool both_ways, std::uint64_t bytes) const;
    /// Clocks from the start of a message until its acknowledgement arrives.
    double round_trip(EthReceiver receiver, std::uint64_t bytes) const;
    /// Clocks from the start of a message until its last byte is in the memory of the receiver.
    double arrival(std::uint64_t bytes) const;
    /// Clocks of one hop of a message that packet routers forward from chip to chip.
    double relay_hop(std::uint64_t bytes) const { return relay + arrival(bytes); }
};

}  // namespace ttsim::impl::sim
