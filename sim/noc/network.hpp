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
#include "sim/noc/topology.hpp"

namespace tt::noc {

enum class Traffic : std::uint8_t { Request, Multicast, Response };
constexpr int traffic_classes = 3;

struct Packet {
    std::span<const Hop> hops;  ///< must live as long as the packet: a Route's or a Tree's
    bool tree = false;          ///< takes all its lanes at once (path reservation)
    Traffic traffic = Traffic::Request;
    std::int8_t lane = -1;   ///< the virtual channel asked for, 0 or 1; -1: any
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
        /// The last flit has left its source, and reaches its end at `arrival`.
        virtual void sent(std::uint32_t tag, Time now, Time arrival) = 0;
        virtual void timer(std::uint32_t what, std::uint32_t argument, Time now) = 0;
    };
    /// lanes: how many packets of each class may interleave on a port. Memories have a capacity in flits per cycle.
    Network(const Topology& topology, std::array<int, traffic_classes> lanes, double buffer_flits, int memories,
            Client& client);

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
    using Share = std::uint32_t;  ///< a port, or ports + memory: what has a capacity
    struct Flow {
        Packet packet;
        std::uint32_t next = 0, held = 0;  ///< hops [held, next) have a lane
        double left = 0, rate = 0, ceiling = 0;
        Time since = 0;
        std::uint32_t version = 0;
        bool moving = false, dirty = false, marked = false, fixed = false;
        std::uint64_t lanes_taken = 0;  ///< bit per hop: which of the two lanes
        Id after = none;
    };
    static constexpr Id none = ~Id{0};
    /// The lanes of one class on one port, and who waits for them, in the order of arrival (a list through
    /// Flow::after).
    struct Lanes {
        Id first = none, last = none;
        std::uint8_t used = 0, limit = 2;
    };
    struct ShareState {
        double capacity = 1;
        std::vector<Id> flows;
        // scratch of the rate computation
        double weight = 0, room = 0;
        bool marked = false;
    };
    Lanes& lanes(const Flow& flow, const Hop& hop);
    bool take_lane(Flow& flow, std::uint32_t hop);
    void advance(Id id);
    bool advance_tree(Id id);
    void let_go(Flow& flow, std::uint32_t until);
    void wait_at(Lanes& at, Id id);
    void give_lane(Lanes& at);
    void start(Id id);
    void finish(Id id);
    void compute_rates();
    void collect(std::vector<Id>& flows, std::vector<Share>& shares);
    void fill(std::vector<Id>& flows, std::vector<Share>& shares);
    void set_rate(Id id, double rate);
    template <class Visit>
    void each_share(const Flow& flow, Visit&& visit) const;

    const Topology& topology_;
    Client& client_;
    double buffer_flits_;
    Events events_;
    Time now_ = 0;
    std::vector<Flow> flows_;
    std::vector<Id> free_, dirty_, work_flows_;
    std::vector<Share> work_shares_;
    std::vector<ShareState> shares_;
    std::vector<std::array<Lanes, traffic_classes * 2>> lanes_;
    std::vector<double> port_flits_, memory_flits_;
    std::uint64_t packets_ = 0;
    std::size_t alive_ = 0;
};

template <class Visit>
void Network::each_share(const Flow& flow, Visit&& visit) const {
    const Packet& packet = flow.packet;
    for (std::size_t hop = flow.held; hop < packet.hops.size(); ++hop)
        visit(static_cast<Share>(packet.hops[hop].port), hop == 0 ? packet.source_cost : 1.0);
    for (std::size_t i = 0; i < packet.memory.size(); ++i)
        if (packet.memory[i] >= 0)
            visit(static_cast<Share>(topology_.ports() + packet.memory[i]), packet.memory_cost[i]);
}

}  // namespace tt::noc
