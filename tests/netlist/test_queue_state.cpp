#include <catch2/catch.hpp>

#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

Queue make_queue(std::int64_t entries, QueueType type = QueueType::Queue) {
    Queue queue;
    queue.name += 'q';
    queue.entries = entries;
    queue.type = type;
    return queue;
}
QueueLaunch read_at(std::int64_t local, std::int64_t global) {
    QueueLaunch launch;
    launch.has_read_local = launch.has_read_global = true;
    launch.read_local = local;
    launch.read_global = global;
    return launch;
}
std::vector<std::int64_t> reads(const QueueAccess& access, std::int64_t inputs) {
    std::vector<std::int64_t> entries;
    for (std::int64_t n = 0; n < inputs; ++n) entries.push_back(access.read(n));
    return entries;
}
std::vector<std::int64_t> writes(const QueueAccess& access, std::int64_t inputs) {
    std::vector<std::int64_t> entries;
    for (std::int64_t n = 0; n < inputs; ++n) entries.push_back(access.write(n));
    return entries;
}
using Entries = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("popping by varinst counts on when the variable wraps at twice the entries") {
    const Queue queue = make_queue(4);
    QueuePointers pointers(queue);
    std::int64_t variable = 0;
    for (std::int64_t round = 0; round < 9; ++round) {
        const QueueLaunch settings = read_at(variable, variable);
        CHECK(reads(pointers.launch(&settings, true, false, 2), 2) == Entries{2 * round, 2 * round + 1});
        variable = (variable + 2) % 8;
        pointers.move(Pointer::ReadGlobal, variable);
        CHECK(pointers.popped() == 2 * round + 2);
    }
    CHECK_FALSE(pointers.rewound());
}

TEST_CASE("and when it wraps at the entries, even when a whole cycle of entries is popped at once") {
    const Queue queue = make_queue(4);
    QueuePointers pointers(queue);
    for (std::int64_t round = 0; round < 5; ++round) {
        const QueueLaunch settings = read_at(0, 0);  // four inputs, wrapped to the same value
        CHECK(reads(pointers.launch(&settings, true, false, 4), 4) ==
              Entries{4 * round, 4 * round + 1, 4 * round + 2, 4 * round + 3});
        pointers.move(Pointer::ReadGlobal, 4 * (round % 2) + 4);
        CHECK(pointers.popped() == 4 * round + 4);
        pointers.move(Pointer::ReadGlobal, 4 * (round % 2) + 4);  // told twice, popped once
        CHECK(pointers.popped() == 4 * round + 4);
    }
}

TEST_CASE("a program that resets its pointers to 0 rewinds the entries still in memory") {
    const Queue queue = make_queue(4);
    QueuePointers pointers(queue);
    QueueAccess written = pointers.launch(nullptr, false, true, 4);
    CHECK(writes(written, 4) == Entries{0, 1, 2, 3});
    CHECK(pointers.pushed() == 4);
    QueueLaunch settings = read_at(0, 0);
    pointers.launch(&settings, true, false, 2);
    pointers.move(Pointer::ReadGlobal, 2);
    CHECK(pointers.popped() == 2);
    CHECK(reads(pointers.launch(&settings, true, false, 2), 2) == Entries{0, 1});
    CHECK(pointers.popped() == 0);
    CHECK(pointers.rewound());
}

TEST_CASE("pointers set past entries skip them") {
    const Queue queue = make_queue(4);
    QueuePointers pointers(queue);
    pointers.launch(nullptr, false, true, 4);
    const QueueLaunch settings = read_at(3, 3);
    CHECK(reads(pointers.launch(&settings, true, false, 1), 1) == Entries{3});
    CHECK(pointers.popped() == 3);
}

TEST_CASE("the local pointer may run ahead of the global one and returns after the execute") {
    const Queue queue = make_queue(8);
    QueuePointers pointers(queue);
    const QueueLaunch settings = read_at(2, 0);
    CHECK(reads(pointers.launch(&settings, true, false, 3), 3) == Entries{2, 3, 4});
    CHECK(pointers.popped() == 0);
    CHECK(reads(pointers.launch(&settings, true, false, 3), 3) == Entries{2, 3, 4});
    QueueLaunch twice = read_at(0, 0);
    twice.read_step = 2;
    CHECK(reads(pointers.launch(&twice, true, false, 3), 3) == Entries{0, 2, 4});
}

TEST_CASE("prologue keeps all inputs at one entry, as does a queue of one entry") {
    const Queue queue = make_queue(4), single = make_queue(1);
    QueuePointers pointers(queue), one(single);
    QueueLaunch settings = read_at(1, 1);
    CHECK(reads(one.launch(&settings, true, false, 3), 3) == Entries{0, 0, 0});
    QueueLaunch popping = read_at(0, 0);
    popping.pop_step = 1;  // the chip makes room for the next entry after each input
    CHECK(reads(one.launch(&popping, true, false, 3), 3) == Entries{0, 1, 2});
    settings.prologue = true;
    const QueueAccess access = pointers.launch(&settings, true, false, 3);
    CHECK(reads(access, 3) == Entries{1, 1, 1});
}

TEST_CASE("a program may follow the pops of the device with a variable that wraps at the entries or at twice as many") {
    for (const std::int64_t wrap : {4, 8, 32}) {
        const Queue queue = make_queue(4);
        QueuePointers pointers(queue);
        std::int64_t variable = 0;
        for (std::int64_t round = 0; round < 9; ++round) {
            QueueLaunch settings = read_at(variable, variable);
            settings.pop_step = 1;
            const QueueAccess access = pointers.launch(&settings, true, false, 2);
            CHECK(reads(access, 2) == Entries{2 * round, 2 * round + 1});
            pointers.finish(access, 2);
            variable = (variable + 2) % wrap;
            pointers.move(Pointer::ReadGlobal, variable);
            CHECK(pointers.popped() == 2 * round + 2);
        }
        CHECK_FALSE(pointers.rewound());
    }
}

TEST_CASE("the device pops after each input where the settings say so") {
    const Queue queue = make_queue(4);
    QueuePointers pointers(queue);
    QueueLaunch settings = read_at(0, 0);
    settings.pop_step = 1;
    const QueueAccess access = pointers.launch(&settings, true, false, 3);
    CHECK(access.pop_step == 1);
    CHECK(pointers.popped() == 0);
    pointers.finish(access, 3);
    CHECK(pointers.popped() == 3);
    const QueueLaunch next = read_at(3, 3);  // the program keeps up with the device
    CHECK(reads(pointers.launch(&next, true, false, 1), 1) == Entries{3});
    CHECK_FALSE(pointers.rewound());
}

TEST_CASE("write pointers of FIFOs advance by the netlist's own counts") {
    const Queue queue = make_queue(4);
    QueuePointers pointers(queue);
    CHECK(writes(pointers.launch(nullptr, false, true, 4), 2) == Entries{0, 1});
    CHECK(writes(pointers.launch(nullptr, false, true, 4), 2) == Entries{4, 5});
    QueueLaunch last_only;
    last_only.epilogue = true;
    CHECK(writes(pointers.launch(&last_only, false, true, 4), 4) == Entries{8, 8, 8, 8});
    CHECK(pointers.pushed() == 9);
}

TEST_CASE("rams step by their autoincrements and wrap; without settings they stay where they are") {
    const Queue queue = make_queue(3, QueueType::Ram);
    QueuePointers pointers(queue);
    QueueLaunch settings;
    settings.has_read_global = settings.has_write_global = true;
    settings.read_global = 1;
    settings.write_global = 2;
    settings.pop_step = 1;
    settings.write_step = 2;
    QueueAccess access = pointers.launch(&settings, true, true, 4);
    CHECK(reads(access, 4) == Entries{1, 2, 0, 1});
    CHECK(writes(access, 4) == Entries{2, 1, 0, 2});
    pointers.finish(access, 4);
    access = pointers.launch(nullptr, true, true, 2);
    CHECK(reads(access, 2) == Entries{2, 2});   // 1 + 4
    CHECK(writes(access, 2) == Entries{1, 1});  // 2 + 8
    pointers.move(Pointer::WriteGlobal, 0);
    CHECK(pointers.launch(nullptr, true, true, 1).write(0) == 0);
    pointers.reset();
    CHECK(pointers.launch(nullptr, true, true, 1).read(0) == 0);
}

// --- temporal epochs -----------------------------------------------------------------------------------------------

namespace {

/// a (chip 0) -> b (chip 1) -> c (chip 2), and lone (chip 3).
std::string three_chips(const std::vector<std::string>& instructions) {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "z", .entries = 4, .device = 3});
    n.queue({.name = "y", .input = "c", .entries = 4, .device = 2});
    n.queue({.name = "v", .input = "d", .entries = 4, .device = 3});
    n.graph("ga", 2, 0);
    n.op({.name = "a", .type = "nop", .inputs = {"x"}});
    n.graph("gb", 2, 1);
    n.op({.name = "b", .type = "nop", .inputs = {"a"}});
    n.graph("gc", 2, 2);
    n.op({.name = "c", .type = "nop", .inputs = {"b"}});
    n.graph("lone", 3, 3);
    n.op({.name = "d", .type = "nop", .inputs = {"z"}});
    n.program("p", instructions);
    return n.text();
}
std::string epochs(const std::string& text, std::optional<std::int64_t> inputs_count = std::nullopt) {
    const Netlist netlist = resolved(text);
    EpochStream stream(netlist, all_programs(netlist), inputs_count);
    std::string all;
    EpochCommand command;
    while (stream.next(command)) {
        all += all.empty() ? "" : " ";
        if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
            std::string members;
            for (const ExecuteCommand& member : launch->members)
                members += (members.empty() ? "" : "+") + member.graph->name;
            all += fmt::format("{}x{}", members, launch->inputs);
        } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
            all += fmt::format("{}={}", move->queue->name, move->value);
        }
    }
    return all;
}
const std::vector<std::string> in_order{"var: {$l: 0, $g: 0}",   execute("gc", {}), execute("ga", {fifo("x")}),
                                        "varinst: [$g, inc, 2]", execute("gb", {}), execute("lone", {fifo("z")})};

}  // namespace

TEST_CASE("graphs that stream into each other make one launch when the last of them is executed") {
    CHECK(epochs(three_chips(in_order)) == "ga+gb+gcx2 x=2 lonex3");
    CHECK(epochs(three_chips(in_order), 1) == "ga+gb+gcx1 x=2 lonex1");
    CHECK(epochs(three_chips(in_order), 9) == "ga+gb+gcx2 x=2 lonex3");
}

TEST_CASE("a graph of an epoch that is never executed is missed") {
    auto without = in_order;
    without.erase(without.begin() + 4);
    CHECK_THROWS_WITH(epochs(three_chips(without)),
                      Catch::Contains("streams to or from graphs that are never executed with it"));
}

TEST_CASE("a graph of an epoch cannot run twice before the others") {
    auto twice = in_order;
    twice.insert(twice.begin() + 2, execute("gc", {}));
    CHECK_THROWS_WITH(epochs(three_chips(twice)), Catch::Contains("graph 'gc' is executed again before"));
}

TEST_CASE("a graph's queue uses name each queue once") {
    const Netlist netlist = resolved(three_chips(in_order));
    const std::vector<QueueUse> uses = queue_uses(netlist, *netlist.find_graph("lone"));
    REQUIRE(uses.size() == 2);
    CHECK((uses[0].queue->name == "z" && uses[0].read && !uses[0].written));
    CHECK((uses[1].queue->name == "v" && !uses[1].read && uses[1].written));
}
