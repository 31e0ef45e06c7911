#include <algorithm>
#include <catch2/catch.hpp>

#include "analysis/trace/advice.hpp"
#include "analysis/trace/name_groups.hpp"
#include "tests/trace/small_trace.hpp"

using namespace ttsim::impl::trace;
using namespace ttsim::impl::test;

namespace {

/// An op that runs all 100 cycles of the window; `more` sets its waits.
WaitNode op(std::int64_t id, const std::string& name, double work) {
    WaitNode node;
    node.id = id;
    node.name = name;
    node.end = 100;
    node.work = work;
    return node;
}

WaitEdge pipe(std::int64_t from, std::int64_t to, double wait_source, double wait_room) {
    WaitEdge edge;
    edge.from_op = from;
    edge.to_op = to;
    edge.wait_source = wait_source;
    edge.wait_room = wait_room;
    edge.in_flight = 10;
    return edge;
}

WaitGraph graph(std::vector<WaitNode> ops, std::vector<WaitEdge> edges) {
    WaitGraph made;
    made.last = 100;
    for (WaitNode& node : ops) made.nodes[node.id] = node;
    made.edges = std::move(edges);
    return made;
}

double sum(const std::vector<Root>& all) {
    double cycles = 0;
    for (const Root& root : all) cycles += root.cycles;
    return cycles;
}

}  // namespace

TEST_CASE("waits for tiles lead to the op that made them late") {
    WaitNode first = op(0, "first", 90), last = op(1, "last", 20);
    last.source = 80;
    const std::vector<Root> found = roots(graph({first, last}, {pipe(0, 1, 80, 0)}));
    REQUIRE(found.size() == 2);
    CHECK(found[0].place == "op 'first'");
    CHECK(found[0].cycles == Approx(80));
    CHECK(sum(found) == Approx(100));
}

TEST_CASE("tiles that are long on their way are the pipe's fault where their producer waits too, else the producer's") {
    WaitNode first = op(0, "first", 90), last = op(1, "last", 20);
    last.noc = 80;
    CHECK(roots(graph({first, last}, {pipe(0, 1, 0, 0)})).front().place == "op 'first'");
    first.work = 20;
    first.output = 80;
    const std::vector<Root> found = roots(graph({first, last}, {pipe(0, 1, 0, 0)}));
    CHECK(found.front().kind == RootKind::Pipe);
    CHECK(found.front().place == "pipe from 'first' to 'last'");
}

TEST_CASE("a ring of waits is the fault of the buffer in which it waits for room") {
    WaitNode fork = op(0, "fork", 10), side = op(1, "side", 10), join = op(2, "join", 10);
    fork.room = 90;
    side.source = 90;
    join.source = 90;
    const std::vector<Root> found =
        roots(graph({fork, side, join}, {pipe(0, 1, 90, 0), pipe(1, 2, 90, 0), pipe(0, 2, 0, 90)}));
    CHECK(found.front().kind == RootKind::Buffer);
    CHECK(found.front().fork);
    CHECK(found.front().place == "buffer between 'fork' and 'join'");
    CHECK(sum(found) == Approx(100));
}

TEST_CASE("a full branch beside one that is late is a short buffer, in so far as the late one waits itself") {
    WaitNode fork = op(0, "fork", 10), skip = op(1, "skip", 10), slow = op(2, "slow", 50), join = op(3, "join", 20);
    fork.room = 90;
    skip.room = 90;
    slow.source = 50;
    join.source = 80;
    std::vector<WaitEdge> pipes{pipe(0, 1, 0, 90), pipe(1, 3, 0, 90), pipe(0, 2, 50, 0), pipe(2, 3, 80, 0)};
    const std::vector<Root> found = roots(graph({fork, skip, slow, join}, pipes));
    const auto buffer = std::find_if(found.begin(), found.end(), [](const Root& r) {
        return r.kind == RootKind::Buffer && r.place == "buffer between 'skip' and 'join'";
    });
    REQUIRE(buffer != found.end());
    CHECK(buffer->cycles > 30);
    CHECK(sum(found) == Approx(100));
    // a branch that is slow by its own work would be as slow behind any buffer
    slow.work = 100;
    slow.source = 0;
    for (const Root& root : roots(graph({fork, skip, slow, join}, pipes))) CHECK(root.kind != RootKind::Buffer);
}

TEST_CASE("the link of a core into the NoC carries what its op sends, others are shared") {
    WaitNode first = op(0, "first", 10), last = op(1, "last", 20);
    first.output = 90;
    last.noc = 80;
    first.places = {{1, 1}};
    WaitGraph made = graph({first, last}, {pipe(0, 1, 0, 0)});
    made.resources = {{"noc", "chip 0 noc0 1-1 in", 0, -1, -1, 70, 1, 1, "in"}};
    CHECK(roots(made).front().place == "sending of op 'first'");
    made.resources[0].direction = "right";
    CHECK(roots(made).front().kind == RootKind::NocLink);
    made.resources[0].direction = "out";
    CHECK(roots(made).front().kind == RootKind::Pipe);
}

TEST_CASE("names that differ in one number are a group, where the parts are alike") {
    const NameGroups groups({{"layers.0.mm_1", "a"},
                             {"layers.1.mm_1", "a"},
                             {"layers.2.mm_1", "a"},
                             {"layers.0.mm_2", "b"},
                             {"layers.1.mm_2", "c"},
                             {"layers.10.act", "a"},
                             {"layers.11.act", "a"},
                             {"head7", "a"},
                             {"plain", "a"}});
    REQUIRE(groups.group("layers.0.mm_1"));
    CHECK(groups.group("layers.0.mm_1")->name == "layers.*.mm_1");
    CHECK(groups.group("layers.0.mm_1")->members ==
          std::vector<std::string>{"layers.0.mm_1", "layers.1.mm_1", "layers.2.mm_1"});
    CHECK(groups.group("layers.2.mm_1") == groups.group("layers.0.mm_1"));
    REQUIRE(groups.group("layers.11.act"));
    CHECK(groups.group("layers.11.act")->name == "layers.*.act");
    for (const char* alone : {"layers.0.mm_2", "layers.1.mm_2", "head7", "plain", "nobody"})
        CHECK(groups.group(alone) == nullptr);  // of another size, or with no other
}

TEST_CASE("reads are the fault of a channel only when it is busy") {
    WaitNode reader = op(0, "reader", 10);
    reader.dram = 90;
    WaitEdge read = pipe(0, 0, 0, 0);
    read.from_op.reset();
    read.queue = 5;
    WaitGraph made = graph({reader}, {read});
    made.queues[5] = {"x", false, 0, {3}, false};
    made.resources = {{"dram", "chip 0 dram 3", 0, 3, -1, 90}};
    CHECK(roots(made).front().kind == RootKind::Dram);
    CHECK(roots(made).front().place == "channel 3 of chip 0 (chip 0 dram 3)");
    made.resources[0].busy = 20;
    CHECK(roots(made).front().kind == RootKind::Reads);
    made.queues[5].host = true;
    CHECK(roots(made).front().kind == RootKind::Host);
}

TEST_CASE("advice on a trace shares out the time of its ops") {
    Reader reader(small_trace("advice.ttperf"));
    const Advice advice = advise(reader);
    REQUIRE_FALSE(advice.causes.empty());
    double shares = 0;
    for (const Reason& cause : advice.causes) shares += cause.share;
    CHECK(shares == Approx(1).margin(0.02));
    CHECK(advice.first_load == 100);
}
