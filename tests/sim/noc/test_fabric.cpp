#include <catch2/catch.hpp>
#include <map>

#include "tests/sim/noc/noc_machine.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

class Machine : private Fabric::Client {
public:
    explicit Machine(Constants constants = plain_constants())
        : constants_(constants), fabric_(wormhole(), constants_, *this) {}
    void issue(Time when, Transaction t) {
        t.tag = static_cast<std::uint32_t>(list_.size());
        list_.push_back(t);
        fabric_.at(when, 0, t.tag);
    }
    void read(Time when, Node from, Node to, std::uint64_t bytes, int noc = 0) {
        issue(when, {Kind::Read, noc, from, to, nullptr, bytes, -1, false, false, 0});
    }
    void run() { REQUIRE(fabric_.run()); }
    Fabric& fabric() { return fabric_; }
    std::map<std::uint32_t, Time> done, left;

private:
    void departed(std::uint32_t tag, Time now) override { left[tag] = now; }
    void completed(std::uint32_t tag, Time, Time when) override { done[tag] = when; }
    void timer(std::uint32_t, std::uint32_t argument, Time) override { fabric_.issue(list_[argument]); }

    const Constants constants_;
    Fabric fabric_;
    std::vector<Transaction> list_;
};

}  // namespace

TEST_CASE("A read takes the request's way, the memory's latency, its flits and the response's way") {
    Constants c = plain_constants();
    c.read_latency = 30;
    Machine m(c);
    m.read(0, at(1, 1), at(4, 5), 1024);
    m.run();
    // 22 hops and four NIU ports; a header and 32 flits
    CHECK(m.done[0] == Approx(220 + 20 + 30 + 33));
}

TEST_CASE("A write is complete with its acknowledgement, a posted one with its arrival") {
    Constants c = plain_constants();
    c.write_latency = 7;
    Machine m(c);
    m.issue(0, {Kind::Write, 0, at(1, 1), at(1, 3), nullptr, 320, -1, false, false, 0});
    m.issue(1000, {Kind::PostedWrite, 0, at(1, 1), at(1, 3), nullptr, 320, -1, false, false, 0});
    m.run();
    CHECK(m.left[0] == Approx(11));
    CHECK(m.done[0] == Approx(11 + 20 + 10 + 7 + 100 + 10));
    CHECK(m.done[1] == Approx(1000 + 11 + 20 + 10));
}

TEST_CASE("More than a packet's worth goes as packets, issued one after the other") {
    Constants c = plain_constants();
    c.issue_read = 20;
    Machine m(c);
    m.read(0, at(1, 1), at(1, 3), 3 * 8192);
    m.run();
    CHECK(m.fabric().packets() == 3);
    CHECK(m.done[0] == Approx(120 + 20 + 3 * 257));
}

TEST_CASE("An atomic costs its way there and back and its time in L1") {
    Constants c = plain_constants();
    c.atomic_latency = 5;
    Machine m(c);
    m.issue(0, {Kind::Atomic, 1, at(2, 2), at(2, 4), nullptr, 4, -1, false, false, 0});
    m.run();
    CHECK(m.done[0] == Approx(120 + 20 + 5));
}

TEST_CASE("A DRAM channel serves at its rate, whichever NoC and port asks") {
    Machine m;  // 16 bytes a cycle
    m.read(0, at(1, 1), at(0, 0), 4096);
    m.read(0, at(1, 2), at(0, 11), 4096);
    m.run();
    CHECK(std::max(m.done[0], m.done[1]) == Approx(240 + 512).margin(20));
    Machine other;
    other.read(0, at(1, 1), at(0, 1), 4096);  // another block
    other.read(0, at(1, 2), at(0, 11), 4096);
    other.run();
    CHECK(std::max(other.done[0], other.done[1]) == Approx(240 + 256).margin(20));
}

TEST_CASE("A NIU answers one read after the other, from each input of its router in turn") {
    Machine m;
    // to 3-3: four from the same row (input x), one from itself, one from its column (input y)
    for (int i = 0; i < 4; ++i) m.read(i, at(2, 3), at(3, 3), 4096);
    m.read(100, at(3, 3), at(3, 3), 4096);
    m.read(0, at(3, 2), at(3, 3), 4096);
    m.run();
    CHECK(m.done[4] < m.done[2]);
    CHECK(m.done[5] < m.done[2]);
    CHECK(m.done[0] < m.done[1]);
    CHECK(m.done[2] < m.done[3]);
}

TEST_CASE("Both NIUs of a tile share the bandwidth of its L1") {
    Constants c = plain_constants();
    c.l1_flits = 1;
    Machine m(c);
    m.read(0, at(1, 2), at(1, 1), 8192, 0);
    m.read(0, at(1, 3), at(1, 1), 8192, 1);
    m.run();
    // the second request is there at 30, the response of the first takes 20 more
    CHECK(std::max(m.done[0], m.done[1]) == Approx(30 + 512 + 20).margin(2));
}

TEST_CASE("A multicast reserves its path first, unless it keeps the one before, and waits for its farthest leaf") {
    Constants c = plain_constants();
    c.multicast_setup = 17;
    const Topology::Tree tree = wormhole().tree(0, at(1, 1), {1, 1}, {3, 3});
    REQUIRE(tree.depth == 4);
    Machine m(c);
    m.issue(0, {Kind::Multicast, 0, at(1, 1), 0, &tree, 3200, -1, false, false, 0});
    m.issue(0, {Kind::Multicast, 0, at(1, 1), 0, &tree, 3200, -1, false, true, 0});
    m.issue(5000, {Kind::PostedMulticast, 0, at(1, 1), 0, &tree, 3200, -1, false, false, 0});
    m.run();
    const double first = 17 + 2 * 40 + 101, way = 10 + 40, back = 10 + 10 * 18;
    CHECK(m.done[0] == Approx(first + way + back));
    CHECK(m.done[1] == Approx(first + 101 + way + back));
    CHECK(m.done[2] == Approx(5000 + first + way));
}

TEST_CASE("Two multicasts that share a link do not overlap, two that do not do") {
    const Topology::Tree row = wormhole().tree(0, at(1, 1), {1, 1}, {4, 1});
    const Topology::Tree same = wormhole().tree(0, at(2, 1), {2, 1}, {4, 1});
    const Topology::Tree other = wormhole().tree(0, at(1, 2), {1, 2}, {4, 2});
    const auto last = [](const Topology::Tree& a, Node from_a, const Topology::Tree& b, Node from_b) {
        Machine m;
        m.issue(0, {Kind::Multicast, 0, from_a, 0, &a, 8192, -1, false, false, 0});
        m.issue(0, {Kind::Multicast, 0, from_b, 0, &b, 8192, -1, false, false, 0});
        m.run();
        return std::max(m.left[0], m.left[1]);
    };
    CHECK(last(row, at(1, 1), other, at(1, 2)) < 330);
    CHECK(last(row, at(1, 1), same, at(2, 1)) > 510);
}

TEST_CASE("Writes to a virtual channel of their own do not wait for each other") {
    const auto last = [](std::int8_t first, std::int8_t second) {
        Machine m;
        m.issue(0, {Kind::PostedWrite, 0, at(1, 1), at(3, 1), nullptr, 8192, first, false, false, 0});
        m.issue(0, {Kind::PostedWrite, 0, at(2, 1), at(4, 1), nullptr, 32, second, false, false, 0});
        m.run();
        return m.done[1];
    };
    CHECK(last(1, 0) < 60);
    CHECK(last(1, 1) > 257);
    CHECK(last(-1, -1) > 257);  // software takes the same one where it names none
}

TEST_CASE("Uses are percentages of the time") {
    Machine m;
    m.issue(0, {Kind::PostedWrite, 0, at(1, 1), at(2, 1), nullptr, 3168, -1, false, false, 0});
    m.run();
    CHECK(m.fabric().link_use(200).max == Approx(50));
    CHECK(m.fabric().niu_use(200).mean == Approx(50));
    CHECK(m.fabric().dram_use(200).max == 0);
}
