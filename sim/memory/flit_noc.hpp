// One NoC flit by flit: router buffers with a shared pool, virtual channels, credits. For the cases in which the
// buffers decide (many streams into one place); the simulation of netlists takes links as reservations instead.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/arch.hpp"

namespace tt::sim {

constexpr int flit_bytes = 32;

/// Buffers of a router's inbound port, in flits, and the clocks of a hop.
struct RouterLimits {
    int own = 1;           ///< guaranteed to each virtual channel
    int pool = 48;         ///< shared by all virtual channels of a port
    int pool_per_vc = 15;  ///< of the pool, at most; own + pool_per_vc is at most 16
    int hop = 9;           ///< clocks from router to router: so long a flit takes up its place at least
};

/// What a packet may take: of a link's virtual channels, requests share four and responses two, each twice (before and
/// after the edge of the torus).
enum class PacketClass : std::uint8_t { Request, Response };

struct FlitPacket {
    NocCoord from, to;
    int flits = 1;
    PacketClass kind = PacketClass::Request;
    int fixed_vc = -1;      ///< within its class; -1: any free one, chosen anew at each link
    std::uint64_t tag = 0;  ///< the owner's
};

/// The far ends of the packets' ways.
class FlitSink {
public:
    virtual ~FlitSink() = default;
    /// Whether a packet may begin to enter; a node takes one packet of each class at a time.
    virtual bool may_enter(const FlitPacket& packet) = 0;
    /// Takes one flit, or refuses it for now.
    virtual bool take(const FlitPacket& packet, bool last) = 0;
};

class FlitNoc {
public:
    static constexpr int places = 16;  ///< flits a virtual channel can hold, at most

    FlitNoc(int grid_x, int grid_y, int noc, const RouterLimits& limits, FlitSink& sink);

    /// Queues a packet at its source; packets of one source and class leave in turn, a flit a clock at most.
    void inject(const FlitPacket& packet);
    /// Packets of that class at a source whose last flit has not left.
    std::size_t waiting(NocCoord from, PacketClass kind) const;
    /// From now on flits leave that source only as they are allowed.
    void limit(NocCoord from, PacketClass kind);
    void allow(NocCoord from, PacketClass kind, int flits);
    int allowed(NocCoord from, PacketClass kind) const;
    /// One clock.
    void step();
    std::uint64_t now() const { return now_; }

private:
    static constexpr int vcs = 16;
    struct Flit {
        int packet;
        std::uint64_t ready;
    };
    /// Flits in a row that go one way: a virtual channel of an inbound port, or the packets of a source.
    struct Lane {
        std::array<Flit, places> flits;
        int first = 0, count = 0;
        std::deque<int> packets;  ///< of a source
        int packet = -1;          ///< in front, its passed flits, the lane it has at the next router
        int passed = 0, next = -1;
        int used = 0;    ///< places the router before knows as taken
        int owner = -1;  ///< packet that has this lane until its tail is in
        bool limited = false;
        int allowed = 0;
    };
    struct Output {
        std::vector<int> lanes;  ///< whose packet in front goes this way
        std::size_t turn = 0;
        std::array<int, 2> entering = {-1, -1};  ///< at the way out, per class
        bool busy = false;
    };
    struct Packet {
        FlitPacket what;
        int to = 0;
    };

    int node(NocCoord at) const;
    int source(NocCoord from, PacketClass kind) const;
    bool is_source(int lane) const { return lane >= first_source_; }
    int node_of(int lane) const;
    int route(int at, int to) const;
    bool ready(const Lane& lane, bool from_source) const;
    bool has_room(int lane) const;
    int choose_vc(int from, int out) const;
    bool send(int lane, int out);
    bool eject(int lane, Output& output);
    void take_front(int lane);
    void leave(int lane, bool ejected);
    void serve(int output);

    int w_, h_, noc_;
    RouterLimits limits_;
    FlitSink& sink_;
    std::uint64_t now_ = 0;
    int first_source_;
    std::vector<Lane> lanes_;      ///< (node * 2 + port) * vcs + vc, port 0 along x; then node * 2 + class: sources
    std::vector<int> pool_used_;   ///< by node * 2 + port
    std::vector<Output> outputs_;  ///< node * 3 + {x, y, way out}
    std::vector<int> busy_;        ///< outputs with lanes
    std::vector<int> freed_;       ///< lanes that lost a flit in this clock
    std::vector<Packet> packets_;
    std::vector<int> free_packets_;
};

}  // namespace tt::sim
