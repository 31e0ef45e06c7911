#include <catch2/catch.hpp>
#include <map>

#include "sim/memory/flit_noc.hpp"

using namespace tt;
using namespace tt::sim;

namespace {

/// Takes everything, or nothing while closed; notes when a packet's last flit came.
struct Ends : FlitSink {
    bool open = true;
    std::map<std::uint64_t, std::uint64_t> done;  ///< tag -> clock
    std::uint64_t flits = 0;
    const FlitNoc* noc = nullptr;
    bool may_enter(const FlitPacket&) override { return open; }
    bool take(const FlitPacket& packet, bool last) override {
        if (!open) return false;
        ++flits;
        if (last) done[packet.tag] = noc->now();
        return true;
    }
};

struct Net {
    Ends ends;
    FlitNoc noc;
    explicit Net(int which) : noc(10, 12, which, RouterLimits{}, ends) { ends.noc = &noc; }
    void run(int clocks) {
        for (int i = 0; i < clocks; ++i) noc.step();
    }
};

}  // namespace

TEST_CASE("a packet alone takes a hop's clocks each router and a clock each flit, on either NoC") {
    for (const int which : {0, 1}) {
        Net net(which);
        const NocCoord from{2, 3}, to = which == 0 ? NocCoord{4, 6} : NocCoord{0, 0};  // five hops along both axes
        net.noc.inject({from, to, 20, PacketClass::Request, 0, 7});
        net.run(200);
        REQUIRE(net.ends.done.contains(7));
        const std::uint64_t hop = 8;  // and the clock in which it goes on
        CHECK(net.ends.done[7] == 5 * hop + 19);
    }
}

TEST_CASE("packets go round the edges of the torus") {
    Net net(0);
    net.noc.inject({{9, 11}, {0, 0}, 1, PacketClass::Request, 0, 1});
    net.run(60);
    CHECK(net.ends.done[1] == 16);
}

TEST_CASE("packets with one virtual channel queue whole, with two they share the link") {
    const auto ends_of = [](int vc_a, int vc_b) {
        Net net(0);
        net.noc.inject({{1, 1}, {3, 1}, 100, PacketClass::Request, vc_a, 1});  // meets the other at the last link
        net.noc.inject({{2, 1}, {3, 1}, 100, PacketClass::Request, vc_b, 2});
        net.run(400);
        return std::pair(net.ends.done.at(1), net.ends.done.at(2));
    };
    const auto [a, b] = ends_of(0, 0);
    CHECK(b < a);
    CHECK(a - b >= 100);
    // Two channels take turns on the link, but a node takes one packet after the other.
    Net net(0);
    net.noc.inject({{1, 1}, {3, 1}, 100, PacketClass::Request, 0, 1});
    net.noc.inject({{2, 1}, {3, 2}, 100, PacketClass::Request, 1, 2});
    net.run(400);
    CHECK(net.ends.done.at(1) > 180);
    CHECK(net.ends.done.at(2) > 180);
}

TEST_CASE("a closed end fills the buffers and no more, and all flits arrive once it opens") {
    Net net(0);
    net.ends.open = false;
    for (std::uint64_t i = 0; i < 8; ++i)
        net.noc.inject(
            {{static_cast<int>(i % 4), static_cast<int>(1 + i / 4)}, {5, 5}, 500, PacketClass::Request, -1, i});
    net.run(2000);
    CHECK(net.ends.flits == 0);
    CHECK(net.noc.waiting({0, 1}, PacketClass::Request) == 1);
    net.ends.open = true;
    net.run(20000);
    CHECK(net.ends.flits == 4000);
    CHECK(net.ends.done.size() == 8);
    CHECK(net.noc.waiting({0, 1}, PacketClass::Request) == 0);
}

TEST_CASE("a limited source sends the flits it is allowed") {
    Net net(1);
    net.noc.limit({5, 5}, PacketClass::Response);
    net.noc.inject({{5, 5}, {5, 4}, 4, PacketClass::Response, -1, 1});
    net.run(50);
    CHECK(net.ends.flits == 0);
    net.noc.allow({5, 5}, PacketClass::Response, 3);
    net.run(50);
    CHECK(net.ends.flits == 3);
    CHECK(net.noc.allowed({5, 5}, PacketClass::Response) == 0);
    net.noc.allow({5, 5}, PacketClass::Response, 1);
    net.run(50);
    CHECK(net.ends.done.contains(1));
}
