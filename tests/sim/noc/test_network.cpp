#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "tests/sim/noc/noc_machine.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

/// Sends packets at given times and notes when each left its source and arrived.
class Bench : private Network::Client {
public:
    explicit Bench(const Buffers& buffers = {}) : network_(wormhole(), buffers, 2, *this) {}

    void send(Time when, std::uint32_t tag, int noc, Node from, Node to, double flits,
              const std::function<void(Packet&)>& change = {}) {
        const Route& route = wormhole().route(noc, from, to);
        Packet packet;
        packet.hops = route.hops;
        packet.lane = 0;
        packet.flits = flits;
        packet.latency = 10.0 + 10.0 * route.links;
        packet.tag = tag;
        if (change) change(packet);
        packets_.push_back(packet);
        network_.at(when, 0, static_cast<std::uint32_t>(packets_.size() - 1));
    }
    void run() { REQUIRE(network_.run()); }
    Network& network() { return network_; }

    std::map<std::uint32_t, Time> left, arrived;

private:
    void left_source(std::uint32_t tag, Time now) override { left[tag] = now; }
    void delivered(std::uint32_t tag, Time, Time arrival) override { arrived[tag] = arrival; }
    void timer(std::uint32_t, std::uint32_t argument, Time) override { network_.send(packets_[argument]); }

    Network network_;
    std::vector<Packet> packets_;
};

const auto any_lane = [](Packet& packet) { packet.lane = -1; };

}  // namespace

TEST_CASE("A packet alone takes its flits and the latency of its way") {
    Bench bench;
    bench.send(100, 1, 0, at(1, 1), at(3, 2), 64);
    bench.run();
    CHECK(bench.left[1] == Approx(164));
    CHECK(bench.arrived[1] == Approx(164 + 10 + 30));
}

TEST_CASE("A packet's events do not depend on the length of its way") {
    const auto events = [](Node to) {
        Bench bench;
        bench.send(0, 1, 0, at(1, 1), to, 64);
        bench.run();
        return bench.network().events();
    };
    CHECK(events(at(2, 1)) == events(at(9, 11)));
}

TEST_CASE("Two packets on one virtual channel of a link follow each other") {
    Bench bench;  // both need the link 2-1 to 3-1
    bench.send(0, 1, 0, at(1, 1), at(3, 1), 100);
    bench.send(1, 2, 0, at(2, 1), at(4, 1), 100);
    bench.run();
    CHECK(bench.arrived[1] == Approx(100 + 30));
    CHECK(bench.arrived[2] == Approx(200 + 30));
}

TEST_CASE("Two packets on different virtual channels share a link flit by flit") {
    Bench bench;
    bench.send(0, 1, 0, at(1, 1), at(3, 1), 100, any_lane);
    bench.send(0, 2, 0, at(2, 1), at(4, 1), 50, any_lane);
    bench.run();
    // both at half rate until the second is done at 100, then the first moves its other half
    CHECK(bench.arrived[2] == Approx(100 + 30));
    CHECK(bench.arrived[1] == Approx(150 + 30));
}

TEST_CASE("What one of two packets on a link cannot use goes to the other") {
    Bench bench;
    bench.send(0, 1, 0, at(1, 1), at(3, 1), 30, [](Packet& p) {
        p.lane = -1;
        p.source_cost = 4;  // a quarter of the link at most
    });
    bench.send(0, 2, 0, at(2, 1), at(4, 1), 75, any_lane);
    bench.run();
    CHECK(bench.arrived[2] == Approx(100 + 30));
    CHECK(bench.arrived[1] == Approx(120 + 30));
}

TEST_CASE("A packet that is ready late does not delay those ready before it, in whatever order they are listed") {
    Bench bench;
    bench.send(1000, 1, 0, at(1, 1), at(3, 1), 100);
    bench.send(0, 2, 0, at(2, 1), at(4, 1), 100);
    bench.run();
    CHECK(bench.arrived[2] == Approx(100 + 30));
    CHECK(bench.arrived[1] == Approx(1100 + 30));
}

TEST_CASE("Packets of different classes do not take each other's virtual channels but share the link") {
    Bench bench;
    bench.send(0, 1, 0, at(1, 1), at(3, 1), 100);
    bench.send(0, 2, 0, at(2, 1), at(4, 1), 100, [](Packet& p) { p.traffic = Traffic::Response; });
    bench.run();
    CHECK(bench.arrived[1] == Approx(200 + 30));
    CHECK(bench.arrived[2] == Approx(200 + 30));
}

TEST_CASE("A waiting packet keeps the links behind it") {
    Bench bench;
    bench.send(0, 1, 0, at(3, 1), at(4, 1), 1000);
    bench.send(1, 2, 0, at(1, 1), at(4, 1), 500);  // waits for 3-1, holds 1-1 and 2-1
    bench.send(2, 3, 0, at(2, 1), at(3, 1), 100);  // would be free to go
    bench.run();
    CHECK(bench.arrived[1] == Approx(1000 + 20));
    CHECK(bench.arrived[2] == Approx(1500 + 40));
    CHECK(bench.arrived[3] == Approx(1600 + 20));
}

TEST_CASE("A short packet that waits is held by the buffers of the routers behind it, not by the links") {
    Bench bench;
    bench.send(0, 1, 0, at(3, 1), at(4, 1), 1000);
    bench.send(1, 2, 0, at(1, 1), at(4, 1), 10);  // one router holds it
    bench.send(500, 3, 0, at(1, 1), at(2, 1), 100);
    bench.run();
    CHECK(bench.left[2] == Approx(11));
    CHECK(bench.arrived[2] == Approx(1010 + 40));
    CHECK(bench.arrived[3] == Approx(600 + 20));
}

TEST_CASE("A packet leaves its source early by the buffer space up to the bottleneck") {
    Bench bench;
    bench.network().set_memory(1, 0.5);
    bench.send(0, 1, 0, at(1, 1), at(3, 1), 100, [](Packet& p) {
        p.memory[1] = 1;  // takes half a flit a cycle
        p.memory_cost[1] = 1;
    });
    bench.run();
    CHECK(bench.arrived[1] == Approx(200 + 30));
    // three hops of 16 flits fill at half a flit a cycle: full after 96 cycles, 52 flits later the source is done
    CHECK(bench.left[1] == Approx(104));
}

TEST_CASE("Memories are shared by packets of both NoCs") {
    Bench bench;
    const auto reads_first = [](Packet& p) {
        p.memory[0] = 0;
        p.memory_cost[0] = 1;
    };
    bench.send(0, 1, 0, at(1, 1), at(3, 1), 100, reads_first);
    bench.send(0, 2, 1, at(1, 1), at(9, 1), 100, reads_first);
    bench.run();
    CHECK(bench.left[1] == Approx(200));
    CHECK(bench.left[2] == Approx(200));
    CHECK(bench.network().memory_busy(0) == Approx(200));
}

TEST_CASE("A ring in which every packet waits for the next one's link drains, as rings have two halves of channels") {
    Bench bench;
    for (int x = 0; x < 10; ++x) bench.send(0, static_cast<std::uint32_t>(x), 0, at(x, 1), at((x + 7) % 10, 1), 1000);
    bench.run();
    CHECK(bench.arrived.size() == 10);
}

TEST_CASE("The same packets give the same times") {
    const auto times = [] {
        Bench bench;
        std::uint32_t state = 1;
        for (std::uint32_t i = 0; i < 300; ++i) {
            const auto random = [&](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 7 % below; };
            const Node from = wormhole().workers()[random(80)], to = wormhole().workers()[random(80)];
            bench.send(random(2000), i, static_cast<int>(random(2)), from, to, 1 + random(256), any_lane);
        }
        bench.run();
        CHECK(bench.arrived.size() == 300);
        return bench.arrived;
    };
    CHECK(times() == times());
}

TEST_CASE("No port passes more than a flit a cycle") {
    Bench bench;
    Time last = 0;
    for (std::uint32_t i = 0; i < 200; ++i)
        bench.send(i, i, 0, wormhole().workers()[i % 80], wormhole().workers()[i * 37 % 80], 40, any_lane);
    bench.run();
    for (const auto& [tag, time] : bench.arrived) last = std::max(last, time);
    for (int port = 0; port < wormhole().ports(); ++port)
        CHECK(bench.network().port_flits(static_cast<Port>(port)) <= last);
}

TEST_CASE("Waiting packets give a lane to the router's inputs in turn") {
    Bench bench;  // two from above, two from the left; the end takes two at a time
    bench.send(0, 1, 0, at(5, 9), at(5, 2), 100, any_lane);
    bench.send(1, 2, 0, at(3, 2), at(5, 2), 1000, any_lane);
    bench.send(2, 3, 0, at(4, 2), at(5, 2), 100, any_lane);
    bench.send(3, 4, 0, at(5, 10), at(5, 2), 100, any_lane);
    bench.run();
    CHECK(bench.arrived[4] < bench.arrived[3]);  // the left got the last one, though it waits longer
}

TEST_CASE("A port that takes one packet after the other serves those waiting at its inputs, not those behind them") {
    Bench bench;
    const auto dynamic = [](Packet& p) {
        p.lane = -1;
        p.lanes = 4;
        p.one_at_source = p.one_at_end = true;
    };
    for (std::uint32_t i = 0; i < 4; ++i) bench.send(i, i, 0, at(1, 1), at(6, 1), 300, dynamic);
    bench.send(50, 9, 0, at(5, 1), at(6, 1), 300, dynamic);
    bench.run();
    CHECK(bench.arrived[0] < bench.arrived[1]);
    CHECK(bench.arrived[9] < bench.arrived[2]);  // it was there before the third had left its source
    CHECK(bench.arrived[9] > bench.arrived[0] + 250);
}

TEST_CASE("Packets that wait on other virtual channels leave a packet few places of a shared pool") {
    // five that go to one end, which takes one after the other: four channels' buffers fill behind the last link
    const auto last = [](double pool) {
        Buffers buffers;
        buffers.pool = pool;
        Bench bench(buffers);
        for (std::uint32_t i = 0; i < 4; ++i)
            bench.send(0, i, 0, at(1 + static_cast<int>(i), 1), at(7, 1), 500, [](Packet& p) {
                p.lane = -1;
                p.lanes = 4;
                p.one_at_source = p.one_at_end = true;
            });
        bench.run();
        Time end = 0;
        for (const auto& [tag, time] : bench.arrived) end = std::max(end, time);
        return end;
    };
    CHECK(last(1000) == Approx(2000).epsilon(0.05));
    // the first one flows with three waiting, which have 45 of 48 places: four places of nine clocks each
    CHECK(last(48) > last(1000) + 400);
    // none left: a place of its own in nine clocks
    CHECK(last(45) > last(48) + 2000);
}
