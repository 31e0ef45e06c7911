#include <catch2/catch.hpp>

#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

/// One graph g over queue x and ram w; programs as given.
std::string with_programs(const std::vector<std::pair<std::string, std::vector<std::string>>>& programs) {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "w", .entries = 4, .ram = true});
    n.queue({.name = "y", .input = "o", .entries = 4});
    n.graph("g", 2);
    n.op({.name = "o", .type = "add", .inputs = {"x", "w"}});
    for (const auto& [name, instructions] : programs) n.program(name, instructions);
    return n.text();
}

/// "g(x 1/2, w 0) x:=3 ..." : executes with local/global read pointers and ram read pointers; moves; allocations.
std::string commands(const Netlist& netlist, const std::map<std::string, std::int64_t>& params = {},
                     std::int64_t limit = 50'000'000, std::vector<ProgramCall> calls = {}) {
    ProgramRunner runner(netlist, calls.empty() ? all_programs(netlist, params) : calls, limit);
    std::string text;
    Command command;
    while (runner.next(command)) {
        if (!text.empty()) text += ' ';
        if (const auto* execute = std::get_if<ExecuteCommand>(&command)) {
            text += execute->graph->name + '(';
            for (const QueueLaunch& queue : execute->queues) {
                if (text.back() != '(') text += ", ";
                text += queue.queue->name;
                if (queue.has_read_local) text += fmt::format(" {}/{}", queue.read_local, queue.read_global);
                if (queue.has_write_global) text += fmt::format(" r{} w{}", queue.read_global, queue.write_global);
            }
            text += ')';
        } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
            const char* which[] = {"local", "read", "write"};
            text += fmt::format("{}.{}={}", move->queue->name, which[static_cast<int>(move->pointer)], move->value);
        } else {
            const auto& allocate = std::get<AllocateCommand>(command);
            text += (allocate.allocate ? "+" : "-") + allocate.queue->name;
        }
    }
    return text;
}

std::string run(const std::vector<std::string>& instructions, const std::map<std::string, std::int64_t>& params = {}) {
    const Netlist netlist = resolved(with_programs({{"p", instructions}}));
    return commands(netlist, params);
}

const std::string go =
    "execute: {graph_name: g, queue_settings: {x: {prologue: false, epilogue: false, zero: false, "
    "rd_ptr_local: $a, rd_ptr_global: $b}}}";

}  // namespace

TEST_CASE("varinst computes set, add, mul, inc and incwrap") {
    CHECK(run({"var: {$a: 1, $b: 2}", "varinst: [$a, set, 3]", go}) == "g(x 3/2)");
    CHECK(run({"var: {$a: 1, $b: 2}", "varinst: [$a, add, $b, 3]", go}) == "g(x 5/2)");
    CHECK(run({"var: {$a: 1, $b: 2}", "varinst: [$a, mul, $b, 3]", go}) == "g(x 6/2)");
    CHECK(run({"var: {$a: 1, $b: 2}", "varinst: [$a, inc, $b]", go}) == "g(x 3/2)");
    CHECK(run({"var: {$a: 6, $b: 2}", "varinst: [$a, incwrap, $b, 8]", go}) == "g(x 0/2)");
    CHECK(run({"var: {$a: 6, $b: 2}", "varinst: [$a, incwrap, 5, 8]", go}) == "g(x 3/2)");
}

TEST_CASE("incwrap with a negative step wraps upwards") {
    CHECK(run({"var: {$a: 1, $b: 0}", "varinst: [$a, incwrap, -3, 8]", go}) == "g(x 6/0)");
    CHECK(run({"var: {$a: 3, $b: 0}", "varinst: [$a, incwrap, -3, 8]", go}) == "g(x 0/0)");
    CHECK(run({"var: {$a: 1, $b: 0}", "varinst: [$a, incwrap, -17, 8]", go}) == "g(x 0/0)");
}

TEST_CASE("variables in a list start at 0") { CHECK(run({"var: [$a, $b]", go}) == "g(x 0/0)"); }

TEST_CASE("loops nest and read their count at entry") {
    CHECK(run({"var: {$a: 0, $b: 0, $n: 2}", "loop: $n", "varinst: [$n, set, 5]", "varinst: [$b, set, 0]", "loop: 3",
               "varinst: [$a, inc, 1]", "endloop", go, "endloop"}) ==
          "g(x 3/0) x.read=0 x.local=4 x.local=5 x.local=6 g(x 6/0)");
}

TEST_CASE("parameters come from the caller and a missing one is named") {
    const std::vector<std::string> program{"param: [$p_n]", "var: {$a: 0, $b: 0}", "loop: $p_n", go, "endloop"};
    CHECK(run(program, {{"$p_n", 3}}) == "g(x 0/0) g(x 0/0) g(x 0/0)");
    CHECK_THROWS_WITH(run(program),
                      Catch::Contains("parameter '$p_n' of program 'p' has no value; give --param p_n=N"));
    CHECK_THROWS_WITH(run(program, {{"$p_n", 0}}), Catch::Contains("loop count is 0; it must be at least 1"));
}

TEST_CASE("a varinst declares its result, a $p_ name too") {
    CHECK(run({"var: {$a: 0, $b: 0}", "varinst: [$p_count, add, $a, 3]", "loop: $p_count", go, "endloop"}) ==
          "g(x 0/0) g(x 0/0) g(x 0/0)");
    CHECK(run({"var: {$p_a: 1, $b: 0}", "varinst: [$p_a, inc, 2]", "varinst: [$p_n, set, $p_a]", "var: {$a: $p_n}",
               go}) == "g(x 3/0)");
}

TEST_CASE("a loop of 2^62 is refused at its place, nested or not") {
    const std::int64_t endless = std::int64_t{1} << 62;
    CHECK_THROWS_WITH(
        run({"var: {$a: 0, $b: 0}", "loop: 4611686018427387904", "varinst: [$a, incwrap, 1, 8]", "endloop"}),
        Catch::StartsWith("n.yaml:") && Catch::Contains("4611686018427387904"));
    try {
        run({"param: [$p_n]", "var: {$a: 0, $b: 0}", "loop: $p_n", "varinst: [$a, incwrap, 1, 8]", "endloop"},
            {{"$p_n", endless}});
        FAIL("not refused");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        CHECK(error.where().line > 0);
        CHECK_THAT(error.what(), Catch::Contains("loop count 4611686018427387904 is more than ttsim runs"));
    }
    // Each loop alone is small enough; together they run 10^8 times.
    CHECK_THROWS_WITH(run({"var: {$a: 0, $b: 0}", "loop: 10000", "loop: 10000", "varinst: [$a, incwrap, 1, 8]",
                           "endloop", "endloop"}),
                      Catch::Contains("program 'p' runs more instructions than ttsim allows"));
}

TEST_CASE("arithmetic beyond 63 bits is refused, not wrapped") {
    const std::map<std::string, std::int64_t> big{{"$p_n", std::int64_t{1} << 62}};
    CHECK_THROWS_WITH(run({"param: [$p_n]", "var: {$a: 0}", "varinst: [$a, add, $p_n, $p_n]"}, big),
                      Catch::Contains("overflows"));
    CHECK_THROWS_WITH(run({"param: [$p_n]", "var: {$a: 0}", "varinst: [$a, mul, $p_n, 2]"}, big),
                      Catch::Contains("overflows"));
}

TEST_CASE("static variables keep their value over runs of a program, locals start anew") {
    const Netlist netlist = resolved(with_programs(
        {{"p", {"staticvar: {$a: 1}", "var: {$b: 1}", "varinst: [$a, inc, 1]", "varinst: [$b, inc, 1]", go}},
         {"q", {"staticvar: {$a: 7}", "var: {$b: 0}", go}}}));
    const Program *p = netlist.find_program("p"), *q = netlist.find_program("q");
    CHECK(commands(netlist, {}, 1000, {{p, {}}, {q, {}}, {p, {}}, {p, {}}}) == "g(x 2/2) g(x 7/0) g(x 3/2) g(x 4/2)");
}

TEST_CASE("after an execute its pointers follow their variables") {
    CHECK(run({"var: {$a: 0, $b: 0, $other: 0}", "varinst: [$a, inc, 1]", go, "varinst: [$other, inc, 1]",
               "varinst: [$a, incwrap, 2, 8]", "varinst: [$b, incwrap, 2, 8]"}) == "g(x 1/0) x.local=3 x.read=2");
    // The last settings count: from the second execute on, $b moves nothing.
    CHECK(run({"var: {$a: 0, $b: 0, $c: 0}", go,
               "execute: {graph_name: g, queue_settings: {x: {prologue: false, epilogue: false, zero: false, "
               "rd_ptr_local: $a, "
               "rd_ptr_global: $c}}}",
               "varinst: [$b, inc, 1]", "varinst: [$c, inc, 2]"}) == "g(x 0/0) g(x 0/0) x.read=2");
    // A new program run follows nothing.
    const Netlist netlist =
        resolved(with_programs({{"p", {"var: {$a: 0, $b: 0}", go}}, {"q", {"var: {$b: 0}", "varinst: [$b, inc, 1]"}}}));
    CHECK(commands(netlist) == "g(x 0/0)");
}

TEST_CASE("ram settings load read and write pointers") {
    const std::string settings =
        "execute: {graph_name: g, queue_settings: {w: {prologue: false, epilogue: false, zero: false, "
        "rd_ptr_global: 1, wr_ptr_global: $a}}}";
    CHECK(run({"var: {$a: 2}", settings, "varinst: [$a, incwrap, 1, 4]"}) == "g(w r1 w2) w.write=3");
    CHECK_THROWS_WITH(run({"var: {$a: 4}", settings}),
                      Catch::Contains("ram 'w' has 4 entries; its pointer 4 is beyond them"));
}

TEST_CASE("negative pointers are refused") {
    CHECK_THROWS_WITH(run({"var: {$a: -1, $b: 0}", go}),
                      Catch::Contains("a pointer of queue 'x' is -1; it must not be negative"));
}

TEST_CASE("allocations and the end of a program are commands and no more") {
    CHECK(run({"allocate_queue: [y]", "var: {$a: 0, $b: 0}", go, "deallocate_queue: [y]", "endprogram", go}) ==
          "+y g(x 0/0) -y");
}

TEST_CASE("whether a graph may be executed again depends on the loop and on the calls to come") {
    const Netlist netlist =
        resolved(with_programs({{"p", {"var: {$a: 0, $b: 0}", "loop: 2", go, "endloop", "varinst: [$a, set, 1]"}},
                                {"q", {"var: {$a: 0, $b: 0}"}}}));
    std::vector<ProgramCall> calls = all_programs(netlist, {});
    calls.push_back(calls.front());
    EpochStream stream(netlist, calls, {});
    std::vector<bool> again;
    CHECK(stream.may_launch(netlist.graphs[0]));
    for (EpochCommand command; stream.next(command);)
        if (std::holds_alternative<EpochLaunch>(command)) again.push_back(stream.may_launch(netlist.graphs[0]));
    CHECK(again == std::vector<bool>{true, true, true, false});
    stream.add(calls.front());
    CHECK(stream.may_launch(netlist.graphs[0]));
}
