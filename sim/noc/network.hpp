// Packets on the two NoCs of a chip: virtual channels, blocking and the sharing of links, at the grain of packets.
//
// A packet takes one virtual channel (a lane) of each port on its way, in order; where none is free it waits, and keeps
// the lanes behind it as far as the routers' buffers cannot hold it. With its whole way it flows, at the rate its ports
// and memories leave it: ports interleave flits, so those that share one get equal parts and what one of them cannot
// use goes to the others (max-min fairness). So links serve what is ready, and a packet costs an event when it starts,
// when it is done, and each time it waits, however long its way is.
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
constexpr int most_lanes = 4;

/// The buffers behind a link that all its virtual channels share, in flits.
struct Buffers {
    double per_lane = 16;  ///< of one virtual channel at most, its own places included
    double own = 1;        ///< guaranteed to each
    double pool = 1e9;     ///< shared by all
    double hop = 9;        ///< cycles a flit takes up its place at least
};

struct Packet {
    std::span<const Hop> hops;  ///< must live as long as the packet: a Route's or a Tree's
    bool tree = false;          ///< takes all its lanes at once (path reservation)
    Traffic traffic = Traffic::Request;
    std::int8_t lane = -1;  ///< the virtual channel asked for; -1: any
    std::int8_t lanes = 2;  ///< virtual channels of its class to choose from, at most most_lanes
    /// Its first, its last port takes one packet of the class after the other.
    bool one_at_source = false, one_at_end = false;
    double flits = 0;        ///< with the header
    double source_cost = 1;  ///< cycles per flit at the first port
    /// Memories read and written and what a flit takes of their capacity; -1 for none.
    std::array<int, 2> memory = {-1, -1};
    std::array<double, 2> memory_cost = {0, 0};
    double latency = 0;  ///< of the head on an empty way
    std::uint32_t tag = 0;
};

class Network {
public:
    class Client {
    public:
        virtual ~Client() = default;
        /// The last flit has left its source. Buffers on the way may hold some of the packet still.
        virtual void left_source(std::uint32_t tag, Time now) = 0;
        /// All flits are past what held them up; the last one is at its end at `arrival`.
        virtual void delivered(std::uint32_t tag, Time now, Time arrival) = 0;
        virtual void timer(std::uint32_t what, std::uint32_t argument, Time now) = 0;
    };
    /// Memories move one flit per cycle until set_memory().
    Network(const Topology& topology, const Buffers& buffers, int memories, Client& client);

    void set_memory(int memory, double flits_per_cycle);
    /// Sets the packet on its way now.
    void send(const Packet& packet);
    /// The client's timer() at that time; what below 2^31.
    void at(Time time, std::uint32_t what, std::uint32_t argument) { events_.at(time, what, argument); }
    Time now() const { return now_; }
    /// Runs until nothing is left to happen. False when packets are left that wait for each other.
    bool run();

    std::uint64_t events() const { return events_.scheduled(); }
    std::uint64_t packets() const { return packets_; }
    /// Flits that passed a port, and a memory's capacity used, in cycles.
    double port_flits(Port port) const { return port_flits_[port]; }
    double memory_busy(int memory) const;

private:
    using Id = std::uint32_t;
    static constexpr Id none = ~Id{0};
    static constexpr Port no_port = 0xFFFF;
    using Share = std::uint32_t;  ///< a port, or ports + memory: what has a capacity
    struct Flow {
        Packet packet;
        std::uint32_t next = 0, held = 0;    ///< hops [held, next) have a lane
        std::uint64_t lanes_taken = 0;       ///< two bits per hop: which lane
        Id after = none;                     ///< the next one in the list of Lanes
        double left = 0;                     ///< flits to deliver
        double rate = 0, ceiling = 0;        ///< per cycle, and what it could be alone
        double buffered = 0;                 ///< flits that have left the source and wait on the way
        double gain = 0, most_buffered = 0;  ///< growth of `buffered` per cycle, and where it ends
        Time since = 0;                      ///< of left, buffered
        std::uint32_t version = 0;
        std::uint32_t waits = 0;                   ///< times it began or ended to wait
        std::uint16_t full_from = 0, full_to = 0;  ///< ports whose buffers it fills while it waits
        std::uint16_t narrow = 0, ceiling_at = 0;  ///< hops that hold it to its rate, and to its ceiling
        double scarce_from = 0;                    ///< what is left when the flits that waited at its head are gone
        bool scarce_later = false;                 ///< the places left to it will hold it up then
        bool moving = false, at_source = true;
        bool dirty = false, marked = false;
    };
    /// The lanes of one class on one port, and who waits for them, in the order of arrival (a list through
    /// Flow::after).
    struct Lanes {
        Id first = none, last = none;
        std::uint8_t used = 0;     ///< a bit per lane
        Port iteration = no_port;  ///< the router's input that got the last one
    };
    struct ShareState {
        double capacity = 1;
        std::vector<Id> flows;
        std::uint16_t blocked = 0;  ///< packets that wait further on and fill buffers behind this link
        // scratch of the rate computation
        double weight = 0, room = 0;
        std::uint32_t open = 0;  ///< flows whose rates rise still
        bool marked = false;
    };
    Lanes& lanes(const Flow& flow, const Hop& hop);
    bool take_lane(Flow& flow, std::uint32_t hop);
    static Port input_of(const Flow& flow, std::uint32_t hop);
    bool give_lane(Lanes& at, bool in_turn);
    std::uint32_t behind_buffers(const Flow& flow) const;
    void advance(Id id);
    bool advance_tree(Id id);
    void release(Flow& flow, std::uint32_t until);
    void wait_at(Lanes& at, Id id);
    void wait(Id id);
    void fill_buffers(Flow& flow, std::uint32_t from, std::uint32_t to);
    void change_blocked(Share share, int change);
    void renew_ceilings(const ShareState& share);
    double abundant_flits(const Flow& flow) const;
    double lane_rate(const ShareState& share) const;
    void mark_dirty(Id id);
    void give_lane(Lanes& at);
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
    void set_rate(Id id, double rate, std::uint16_t narrow);
    template <class Visit>
    void each_share(const Flow& flow, Visit&& visit) const;

    const Topology& topology_;
    Client& client_;
    Buffers buffers_;
    int harmless_;  ///< packets that may fill buffers behind a link before others there get less than the link's rate
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

/// visit(share, cost, hop) of all the flow uses; memories count as its first and last hop.
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
