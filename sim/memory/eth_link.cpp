#include "sim/memory/eth_link.hpp"

#include <algorithm>
#include <cmath>

namespace ttsim::impl::sim {

double EthTiming::wire(std::uint64_t bytes) const {
    const double size = static_cast<double>(bytes);
    return (size + overhead * std::max(1.0, std::ceil(size / packet))) / rate;
}

/// The maximum of the wire time and the time of the slower core. With traffic in both directions each core sends and
/// receives, and acknowledgements share the wire with messages.
double EthTiming::interval(EthReceiver receiver, bool both_ways, std::uint64_t bytes) const {
    const bool forwards = receiver != EthReceiver::Keep;
    double taking = receive + (forwards ? forward : 0);
    // The wait for a write overlaps with the arrival of the next message.
    const double roles = both_ways ? 2 : 1;
    if (receiver == EthReceiver::ForwardFlushed) taking += std::max(0.0, roles * flush - wire(bytes)) - no_ids * roles;
    const double core = loop + (both_ways ? send + taking : std::max(send, taking));
    const double line = wire(bytes) + (both_ways ? (acknowledge + overhead) / rate : 0);
    return std::max(core, line);
}

double EthTiming::arrival(std::uint64_t bytes) const {
    // The first packet is stored before it is forwarded; the other packets are pipelined.
    return one_way + wire(bytes) + std::min(static_cast<double>(bytes), packet) / rate;
}

double EthTiming::round_trip(EthReceiver receiver, std::uint64_t bytes) const {
    double clocks = 2 * arrival(bytes);
    if (receiver != EthReceiver::Keep) clocks += forward_way + static_cast<double>(bytes) / forward_rate;
    return clocks;
}

}  // namespace ttsim::impl::sim
