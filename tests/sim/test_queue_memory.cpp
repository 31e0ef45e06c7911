#include <catch2/catch.hpp>

#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"
#include "sim/machine/queue_memory.hpp"
#include "tests/sim/netlist_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

namespace {

struct Fixture {
    Netlist netlist;
    Machine machine = make_machine("wormhole_b0", {});
    ThreadPool pool{1};
    std::unique_ptr<RunState> state;

    explicit Fixture(int entries) {
        ttsim::impl::test::NetlistText text;
        text.queue({.name = "x", .entries = entries});
        text.queue({.name = "w", .entries = 1, .ram = true});
        netlist = resolve(read_netlist_text(text.text() + "  []\n", "n.yaml"));
        state = std::make_unique<RunState>(netlist, machine, std::vector<ProgramCall>{}, MachineSettings{}, pool);
    }
    QueueMemory memory(const std::string& name) { return {*netlist.find_queue(name), *state}; }
};

struct Counter : QueueUser {
    int told = 0;
    void queue_changed() override { ++told; }
};

}  // namespace

TEST_CASE("a FIFO takes as many entries as it has slots until the oldest is popped") {
    Fixture f(2);
    QueueMemory x = f.memory("x");
    Counter user;
    x.subscribe(user);
    CHECK(x.free_slot(0));
    x.begin(0);
    CHECK(x.free_slot(1));
    x.begin(1);
    CHECK_FALSE(x.free_slot(2));
    CHECK_FALSE(x.complete(0));  // begun is not complete
    x.set_complete(0);
    CHECK(x.complete(0));
    CHECK_FALSE(x.complete(1));
    CHECK(user.told == 1);
    x.set_popped(1);
    CHECK(user.told == 2);
    CHECK(x.free_slot(2));
    CHECK_FALSE(x.free_slot(3));
    x.set_popped(1);  // no change: no notification
    CHECK(user.told == 2);
    x.unsubscribe(user);
    x.set_popped(2);
    CHECK(user.told == 2);
}

TEST_CASE("slots that are never written do not hold up the writer") {
    Fixture f(4);
    QueueMemory x = f.memory("x");
    // Graphs of four inputs of which one runs: entries 0, 4, 8.
    for (const std::int64_t n : {0, 4, 8}) {
        CHECK(x.free_slot(n));
        x.begin(n);
        x.set_complete(n);
        CHECK(x.next_complete(0) == n);
        CHECK_FALSE(x.free_slot(n + 4));
        x.set_popped(n + 1);
        CHECK(x.free_slot(n + 4));
    }
    CHECK_FALSE(x.next_complete(9));
}

TEST_CASE("a ram is always readable and never full") {
    Fixture f(1);
    QueueMemory w = f.memory("w");
    CHECK(w.complete(0));
    w.begin(0);
    CHECK(w.free_slot(0));
}

TEST_CASE("allocation empties a FIFO") {
    Fixture f(1);
    QueueMemory x = f.memory("x");
    x.begin(0);
    x.set_complete(0);
    x.set_popped(1);
    x.begin(1);
    x.clear();
    CHECK(x.popped() == 0);
    CHECK(x.free_slot(0));
    CHECK_FALSE(x.complete(0));
}
