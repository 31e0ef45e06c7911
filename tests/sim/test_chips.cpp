#include <catch2/catch.hpp>

#include <cmath>

#include "sim/memory/memory_constants.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

constexpr Cut two{.grid_r = 2, .grid_c = 1, .m = 1, .n = 2, .rt = 1, .ct = 1, .t = 2};

/// x on chip 0 -> a (chip 0) -> b (chip `far`) -> y; the graphs stream into each other.
std::string streaming(int far) {
    NetlistText n;
    n.queue({.name = "x", .cut = two, .entries = 4});
    n.queue({.name = "w", .cut = two, .entries = 1, .ram = true, .device = far});
    n.queue({.name = "y", .input = "b", .cut = two, .entries = 4, .device = far});
    n.graph("near", 2, 0);
    n.op({.name = "a", .type = "nop", .inputs = {"x"}, .cut = two});
    n.graph("far", 2, far);
    n.op({.name = "b", .type = "add", .inputs = {"a", "w"}, .cut = two});
    n.program("p", looped(2, {execute("near", {fifo("x")}), execute("far", {ram("w", true)})}, 2, 8));
    return n.text();
}

}  // namespace

TEST_CASE("an op reads an op of another chip: one temporal epoch over both") {
    std::uint64_t last = 0;
    for (const int far : {1, 5}) {  // a neighbour, and a chip two hops away on the mesh
        const std::string text = streaming(far);
        const Outcome functional = run_text(text, sim::Mode::Functional), full = run_text(text, sim::Mode::Full),
                      timing = run_text(text, sim::Mode::Timing);
        REQUIRE(verdicts(full) == "y passes");
        CHECK(differing(functional, full).empty());
        CHECK(timing.report.cycles == full.report.cycles);
        const std::vector<Tensor>& x = full.inputs.at("x").entries;
        const Tensor& w = full.inputs.at("w").entries.at(0);
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t i = 0; i < w.data.size(); i += 5)
                CHECK(full.outputs.at("y").entries[k].data[i] == x[k].data[i] + w.data[i]);
        CHECK(full.report.cycles > last);  // farther is later
        last = full.report.cycles;
    }
}

TEST_CASE("independent graphs on two chips run at the same time") {
    const auto text = [](bool both) {
        NetlistText n;
        std::vector<std::string> executes;
        for (int chip = 0; chip < (both ? 2 : 1); ++chip) {
            const std::string id = std::to_string(chip);
            n.queue({.name = "x" + id, .cut = two, .entries = 8, .device = chip});
            n.queue({.name = "y" + id, .input = "o" + id, .cut = two, .entries = 8, .device = chip});
            n.graph("g" + id, 8, chip);
            n.op({.name = "o" + id, .type = "exp", .inputs = {"x" + id}, .cut = two});
            executes.push_back(execute("g" + id, {fifo("x" + id)}));
        }
        n.program("p", looped(1, executes, 8, 16));
        return n.text();
    };
    const Outcome one = run_text(text(false), sim::Mode::Timing), both = run_text(text(true), sim::Mode::Timing);
    REQUIRE(both.error == "");
    CHECK(both.report.cycles < one.report.cycles * 3 / 2);
}

TEST_CASE("each Grayskull card writes to host memory by its own PCIe link, whatever the queue's device") {
    constexpr Cut one{.m = 1, .n = 2, .t = 2};
    const auto text = [&](bool both) {
        NetlistText n("grayskull");
        std::vector<std::string> executes;
        for (int chip = 0; chip < (both ? 2 : 1); ++chip) {
            const std::string id = std::to_string(chip);
            n.queue({.name = "x" + id, .cut = one, .entries = 1, .ram = true, .device = chip});
            n.queue({.name = "y" + id, .input = "o" + id, .cut = one, .entries = 64, .on_host = true});
            n.graph("g" + id, 32, chip);
            n.op({.name = "o" + id, .type = "nop", .inputs = {"x" + id}, .cut = one, .untilize = true});
            executes.push_back(execute("g" + id, {ram("x" + id, true)}));
        }
        n.program("p", looped(1, executes, 32, 64));
        return n.text();
    };
    const std::uint64_t single = run_text(text(false), sim::Mode::Timing).report.cycles;
    REQUIRE(single > 0);
    CHECK(run_text(text(true), sim::Mode::Timing).report.cycles < single + single / 10);
}

TEST_CASE("entries of both chips of a board pass its one PCIe link, those of the far chip over Ethernet") {
    constexpr Cut wide{.m = 8, .n = 8};
    const auto cycles = [&](const std::vector<int>& chips, bool on_host) {
        NetlistText n("wormhole_b0");
        std::vector<std::string> executes;
        for (const int chip : chips) {
            const std::string id = std::to_string(chip);
            n.queue({.name = "x" + id, .cut = wide, .entries = 1, .ram = true, .device = chip});
            n.queue(
                {.name = "y" + id, .input = "o" + id, .cut = wide, .entries = 2, .device = chip, .on_host = on_host});
            n.graph("g" + id, 16, chip);
            n.op({.name = "o" + id, .type = "nop", .inputs = {"x" + id}, .cut = wide});
            executes.push_back(execute("g" + id, {ram("x" + id, true)}));
        }
        n.program("p", looped(1, executes, 16, 32));
        const Outcome run = run_text(n.text(), sim::Mode::Timing);
        REQUIRE(run.error == "");
        return static_cast<double>(run.report.cycles);
    };
    // Pops of 8 x 8 tiles take the link 18,700 clk, more than the ops.
    CHECK(cycles({0, 1}, false) > 1.7 * cycles({0}, false));
    CHECK(cycles({1}, false) > cycles({0}, false));
    CHECK(cycles({1}, true) > cycles({0}, true));
}

TEST_CASE("from the first push to the last pop counts what was pushed before the run") {
    constexpr Cut wide{.m = 8, .n = 8};
    const auto report = [&](bool on_host) {
        NetlistText n("wormhole_b0");
        n.queue({.name = "x", .cut = wide, .entries = 16, .on_host = on_host});
        n.queue({.name = "y", .input = "o", .cut = wide, .entries = 16, .on_host = true});
        n.graph("g", 16);
        n.op({.name = "o", .type = "nop", .inputs = {"x"}, .cut = wide});
        n.program("p", looped(1, {execute("g", {fifo("x")})}, 16, 32));
        const Outcome run = run_text(n.text(), sim::Mode::Timing);
        REQUIRE(run.error == "");
        return run.report;
    };
    const sim::RunReport pushed = report(false), there = report(true);
    const sim::PcieTiming& link = sim::memory_constants("wormhole_b0").pcie;
    const double bytes = 16 * 64 * 2080;
    CHECK(pushed.pushed_before == static_cast<std::uint64_t>(std::ceil(bytes / link.push_bytes + link.push_latency)));
    CHECK(pushed.push_to_pop_cycles() == pushed.pushed_before + pushed.last_pop);
    CHECK((pushed.last_pop > 0 && pushed.last_pop <= pushed.cycles));
    CHECK(pushed.push_to_pop_per_second < pushed.end_to_end_per_second);
    CHECK(there.pushed_before == 0);  // the device reads them in host memory
}

TEST_CASE("graphs of one chip run one after the other") {
    NetlistText n;
    n.queue({.name = "x", .cut = two, .entries = 4});
    n.queue({.name = "mid", .input = "a", .cut = two, .entries = 4});
    n.queue({.name = "y", .input = "b", .cut = two, .entries = 4});
    n.graph("first", 4);
    n.op({.name = "a", .type = "exp", .inputs = {"x"}, .cut = two});
    n.graph("second", 4);
    n.op({.name = "b", .type = "exp", .inputs = {"mid"}, .cut = two, .col = 1});
    n.program("p", looped(1, {execute("first", {fifo("x")}), execute("second", {fifo("mid")})}, 4, 8));
    const Outcome run = run_text(n.text(), sim::Mode::Full);
    REQUIRE(verdicts(run) == "y passes");
    const auto& graphs = run.report.graphs;
    CHECK(graphs.at(1).ops.at(0).first_cycle > graphs.at(0).ops.at(0).last_cycle);
}

TEST_CASE("data for another chip passes through a queue there") {
    NetlistText n;
    n.queue({.name = "x", .cut = two, .entries = 4});
    n.queue({.name = "mid", .input = "a", .cut = two, .entries = 4, .device = 1});
    n.queue({.name = "y", .input = "b", .cut = two, .entries = 4, .device = 0});
    n.graph("first", 4, 0);
    n.op({.name = "a", .type = "nop", .inputs = {"x"}, .cut = two});
    n.graph("second", 4, 1);
    n.op({.name = "b", .type = "nop", .inputs = {"mid"}, .cut = two});
    n.program("p", looped(2, {execute("first", {fifo("x")}), execute("second", {fifo("mid")})}, 4, 8));
    const Outcome run = run_text(n.text(), sim::Mode::Full);
    REQUIRE(verdicts(run) == "y passes");
    for (std::size_t k = 0; k < 8; ++k)
        CHECK(run.outputs.at("y").entries[k].data == run.inputs.at("x").entries[k].data);
}
