#include <catch2/catch.hpp>

#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

std::string looping(int loops, int entries, int inputs, const std::string& ram_setting = ram("w")) {
    NetlistText n;
    n.queue({.name = "x", .entries = entries});
    n.queue({.name = "w", .entries = 3, .ram = true});
    n.queue({.name = "unread", .entries = 2});
    n.queue({.name = "y", .input = "o", .entries = entries});
    n.graph("g", inputs);
    n.op({.name = "o", .type = "add", .inputs = {"x", "w"}});
    n.program("p", looped(loops, {execute("g", {fifo("x"), ram_setting})}, inputs, 2 * entries));
    return n.text();
}
struct Result {
    Netlist netlist;
    Forecast forecast;
    const Forecast::PerQueue& of(const std::string& name) const { return forecast.queues.at(netlist.find_queue(name)); }
};
Result foretell(const std::string& text, std::optional<std::int64_t> inputs_count = std::nullopt) {
    Result result{resolved(text), {}};
    result.forecast = forecast(result.netlist, all_programs(result.netlist), inputs_count);
    return result;
}
using Entries = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the host pushes every entry the program reads") {
    const Result r = foretell(looping(3, 4, 2));
    CHECK(r.of("x").host == Entries{0, 1, 2, 3, 4, 5});
    CHECK(r.of("x").entries == 6);
    CHECK(r.of("w").host == Entries{0});
    CHECK(r.of("y").entries == 6);
    CHECK(r.of("y").host.empty());
    CHECK(r.forecast.queues.count(r.netlist.find_queue("unread")) == 0);
    CHECK(r.forecast.launches == 3);
    CHECK(r.forecast.inputs == 6);
}

TEST_CASE("with --inputs-count only entries that are read are pushed, at the netlist's addresses") {
    const Result r = foretell(looping(3, 4, 2), 1);
    CHECK(r.of("x").host == Entries{0, 2, 4});
    CHECK(r.of("y").entries == 5);
    CHECK(r.forecast.inputs == 3);
    CHECK(foretell(looping(3, 4, 2), 7).of("x").host == Entries{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a stepping ram pointer names every slot it passes") {
    const std::string stepping =
        "w: {prologue: false, epilogue: false, zero: false, rd_ptr_global: 1, wr_ptr_global: 0, global_rdptr_autoinc: "
        "1}";
    CHECK(foretell(looping(1, 4, 2, stepping)).of("w").host == Entries{1, 2});
    CHECK(foretell(looping(1, 4, 4, stepping)).of("w").host == Entries{0, 1, 2});
}

TEST_CASE("reading further than the queue is long is refused at the execute") {
    NetlistText n;
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "y", .input = "o", .entries = 4});
    n.graph("g", 4);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}});
    n.program("p", {"var: {$l: 0, $g: 0}", execute("g", {fifo("x")})});
    const Netlist netlist = resolved(n.text());
    CHECK_THROWS_WITH(forecast(netlist, all_programs(netlist), std::nullopt),
                      Catch::Contains("graph 'g' reads entry 2 of queue 'x', but only 2 entries fit"));
}

TEST_CASE("a view names the slots of the ram behind it") {
    NetlistText n;
    n.queue({.name = "slots", .entries = 4, .ram = true});
    n.queue({.name = "all", .cut = {.t = 2}, .entries = 2, .ram = true, .more = "alias: slots"});
    n.queue({.name = "y", .input = "o", .cut = {.t = 2}, .entries = 2});
    n.graph("g", 1);
    n.op({.name = "o", .type = "nop", .inputs = {"all"}, .cut = {.t = 2}});
    n.program("p", {execute("g", {ram("all", false, "1", "0")})});
    const Result r = foretell(n.text());
    CHECK(r.of("slots").host == Entries{2, 3});
    CHECK(r.of("all").host.empty());
}

TEST_CASE("rewound queues are marked, so that their entries are kept") {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "mid", .input = "o", .entries = 4});
    n.queue({.name = "y", .input = "o2", .entries = 8});
    n.graph("g", 4);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}});
    n.graph("h", 2);
    n.op({.name = "o2", .type = "nop", .inputs = {"mid"}});
    const std::vector<std::string> read_mid{"var: {$l: 0, $g: 0}", execute("h", {fifo("mid")}),
                                            "varinst: [$g, inc, 2]"};
    n.program("fill", {"var: {$l: 0, $g: 0}", execute("g", {fifo("x")})});
    n.program("once", read_mid);
    n.program("again", read_mid);
    const Result r = foretell(n.text());
    CHECK(r.of("mid").rewound);
    CHECK_FALSE(r.of("x").rewound);
}
