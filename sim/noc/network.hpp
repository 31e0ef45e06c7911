// Packet-level model of the two NoCs of a chip: virtual channels, blocking and sharing of links.
//
// A packet acquires one virtual channel (a lane) of each port on its route, in order. When no lane is free it waits,
// and holds the lanes behind its head as far as router buffers cannot hold the packet. With all lanes acquired it flows
// at the rate that its ports and memories allow. Ports interleave flits: packets that share a port get equal rates, and
// the rest of a packet that is limited elsewhere goes to the others (max-min fairness). A packet costs events when it
// starts, when it ends and when it waits, independent of the length of its route.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/noc/events.hpp"
#include "sim/noc/sparse.hpp"
#include "sim/noc/topology.hpp"

namespace ttsim::impl::noc {

enum class Traffic : std::uint8_t { Request, Multicast, Response };
constexpr int traffic_classes = 3;
constexpr int max_lanes = 4;

/// Buffers behind a link, in flits.
struct Buffers {
    double per_lane = 16;  ///< maximum of one virtual channel, including its reserved slots
    double own = 1;        ///< slots reserved for each virtual channel
    double pool = 1e9;     ///< slots shared by all virtual channels
    double hop = 9;        ///< minimum cycles for which a flit occupies a slot
};

struct Packet {
    std::span<const Hop> hops;  ///< hops of a Route or Tree; must stay valid until delivery
    bool tree = false;          ///< acquires all its lanes at once (path reservation)
    Traffic traffic = Traffic::Request;
    std::int8_t lane = -1;  ///< requested virtual channel; -1: any
    std::int8_t lanes = 2;  ///< virtual channels of its class to choose from, at most max_lanes
    /// The first (last) port serves one packet of the class at a time.
    bool one_at_source = false, one_at_end = false;
    double flits = 0;        ///< flits including the header
    double source_cost = 1;  ///< cycles per flit at the first port
    /// Memories that are read and written, and their capacity used per flit; -1: none.
    std::array<int, 2> memory = {-1, -1};
    std::array<double, 2> memory_cost = {0, 0};
    double latency = 0;  ///< latency of the head on an idle route
    std::uint32_t tag = 0;
};

class Network {
public:
    class Client {
    public:
        virtual ~Client() = default;
        /// The last flit has left its source. Buffers on the route may still hold part of the packet.
        virtual void left_source(std::uint32_t tag, Time now) = 0;
        /// No flit is delayed any more; the last one arrives at `arrival`.
        virtual void delivered(std::uint32_t tag, Time now, Time arrival) = 0;
        virtual void timer(std::uint32_t what, std::uint32_t argument, Time now) = 0;
    };
    /// Memories move one flit per cycle until set_memory().
    Network(const Topology& topology, const Buffers& buffers, int memories, Client& client);

    void set_memory(int memory, double flits_per_cycle);
    /// Sends the packet now.
    void send(const Packet& packet);
    /// Schedules the client's timer() at `time`; `what` must be below 2^31.
    void at(Time time, std::uint32_t what, std::uint32_t argument) { events_.at(time, what, argument); }
    Time now() const { return now_; }
    /// Runs until no event is left. Returns false when packets remain, which are deadlocked.
    bool run();

    std::uint64_t events() const { return events_.scheduled(); }
    std::uint64_t packets() const { return packets_; }
    /// Flits that passed a port; used capacity of a memory, in cycles.
    double port_flits(Port port) const { return port_flits_[port]; }
    double memory_busy(int memory) const;

private:
    using Id = std::uint32_t;
    static constexpr Id none = ~Id{0};
    static constexpr Port no_port = 0xFFFF;
    using Share = std::uint32_t;  ///< a shared resource with a capacity: a port, or ports + memory
    struct Flow {
        Packet packet;
        std::uint32_t next = 0, held = 0;    ///< hops [held, next) have a lane
        std::uint64_t held_lanes = 0;        ///< two bits per hop: number of its lane
        Id after = none;                     ///< next packet in the waiting list of Lanes
        double left = 0;                     ///< flits to deliver
        double rate = 0, ceiling = 0;        ///< flits per cycle; ceiling: the rate without other packets
        double buffered = 0;                 ///< flits that have left the source and wait in buffers
        double gain = 0, most_buffered = 0;  ///< growth of `buffered` per cycle, and its maximum
        Time since = 0;                      ///< time of `left` and `buffered`
        std::uint32_t version = 0;
        std::uint32_t waits = 0;                       ///< number of starts and ends of waits
        std::uint16_t full_from = 0, full_to = 0;      ///< range of hops whose buffers it fills while it waits
        std::uint16_t bottleneck = 0, ceiling_at = 0;  ///< hops that limit its rate, and its ceiling
        double scarce_from = 0;     ///< value of `left` when the flits buffered at its head have passed
        bool scarce_later = false;  ///< buffer slots will limit its rate from then on
        bool moving = false, at_source = true;
        bool dirty = false, marked = false;
    };
    /// The lanes of one class on one port, and the packets that wait for them in order of arrival (a list through
    /// Flow::after).
    struct Lanes {
        Id first = none, last = none;
        std::uint8_t used = 0;      ///< bit mask of used lanes
        Port last_input = no_port;  ///< the router input that acquired a lane last
    };
    struct ShareState {
        double capacity = 1;
        std::vector<Id> flows;
        std::uint16_t blocked = 0;  ///< waiting packets that fill buffers behind this link
        // temporary values of the rate computation
        double weight = 0, room = 0;
        std::uint32_t open = 0;  ///< flows whose rates are not fixed yet
        bool marked = false;
    };
    Lanes& lanes(const Flow& flow, const Hop& hop);
    bool acquire_lane(Flow& flow, std::uint32_t hop);
    static Port input_of(const Flow& flow, std::uint32_t hop);
    bool grant_lane(Lanes& at, bool skip_last_input);
    std::uint32_t first_held_hop(const Flow& flow) const;
    void advance(Id id);
    bool advance_tree(Id id);
    void release(Flow& flow, std::uint32_t until);
    void wait_at(Lanes& at, Id id);
    void wait(Id id);
    void fill_buffers(Flow& flow, std::uint32_t from, std::uint32_t to);
    void change_blocked(Share share, int change);
    void update_ceilings(const ShareState& share);
    double abundant_flits(const Flow& flow) const;
    double lane_rate(const ShareState& share) const;
    void mark_dirty(Id id);
    void grant_lane(Lanes& at);
    void start(Id id);
    void pass(Flow& flow);
    void milestone(Id id);
    void leave_source(Id id);
    void finish(Id id);
    void leave_share(Id id, Share share);
    void find_ceiling(Flow& flow);
    void schedule(Id id);
    void compute_rates();
    void collect(std::vector<Id>& flows, std::vector<Share>& shares);
    void fill(std::vector<Id>& flows, std::vector<Share>& shares);
    void set_rate(Id id, double rate, std::uint16_t bottleneck);
    template <class Visit>
    void each_share(const Flow& flow, Visit&& visit) const;

    const Topology& topology_;
    Client& client_;
    Buffers buffers_;
    int max_harmless_;  ///< waiting packets behind a link that do not reduce the rate of others
    Events events_;
    Time now_ = 0;
    std::vector<Flow> flows_;
    std::vector<Id> free_, dirty_, work_flows_;
    std::vector<Share> work_shares_;
    std::vector<ShareState> shares_;
    Sparse<std::array<Lanes, traffic_classes * 2>> lanes_;  ///< by port
    std::vector<double> port_flits_, memory_flits_;
    std::uint64_t packets_ = 0;
    std::size_t alive_ = 0;
};

/// Calls visit(share, cost, hop) for all resources of the flow; memories belong to its first and last hop.
template <class Visit>
void Network::each_share(const Flow& flow, Visit&& visit) const {
    const Packet& packet = flow.packet;
    const auto last = static_cast<std::uint16_t>(packet.hops.size() - 1);
    for (std::size_t hop = flow.held; hop <= last; ++hop)
        visit(static_cast<Share>(packet.hops[hop].port), hop == 0 ? packet.source_cost : 1.0,
              static_cast<std::uint16_t>(hop));
    if (packet.memory[0] >= 0 && flow.at_source)
        visit(static_cast<Share>(topology_.ports() + packet.memory[0]), packet.memory_cost[0], std::uint16_t{0});
    if (packet.memory[1] >= 0)
        visit(static_cast<Share>(topology_.ports() + packet.memory[1]), packet.memory_cost[1], last);
}

}  // namespace ttsim::impl::noc
