// Steady rates, the performance-check section, and ops alone.
#include <catch2/catch.hpp>

#include "sim/figures/steady.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;
using namespace ttsim::impl::test;

namespace {

std::vector<std::uint64_t> ends_of(const std::vector<std::uint64_t>& intervals) {
    std::vector<std::uint64_t> ends{1000};
    for (const std::uint64_t interval : intervals) ends.push_back(ends.back() + interval);
    return ends;
}

/// exp of 8 tiles on one core, then a copy, 6 inputs; `checks` is the body of the section.
std::string two_ops(const std::string& checks) {
    NetlistText n;
    const Cut cut{.m = 2, .n = 2, .rt = 1, .ct = 2};
    n.queue({.name = "x", .cut = cut, .entries = 6});
    n.queue({.name = "y", .input = "copy", .cut = cut, .entries = 6});
    n.graph("g", 6);
    n.op({.name = "grow", .type = "exp", .inputs = {"x"}, .cut = cut});
    n.op({.name = "copy", .type = "nop", .inputs = {"grow"}, .cut = cut, .col = 1});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 6, 12));
    return n.text() + (checks.empty() ? "" : "performance-check:\n" + checks);
}

const PerformanceFigure& figure(const Outcome& run, const std::string& metric) {
    for (const PerformanceFigure& f : run.report.performance)
        if (f.metric == metric) return f;
    FAIL("no figure " << metric);
    throw std::logic_error("unreachable");
}

}  // namespace

TEST_CASE("the steady interval is that of the last pattern that repeats, however long filling and draining take") {
    CHECK(steady_interval(ends_of({900, 500, 70, 70, 70, 70, 70, 70, 70, 33, 20})) == 70);
    CHECK(steady_interval(ends_of({900, 60, 80, 60, 80, 60, 80, 60, 80, 60, 80, 10})) == 70);
    // inputs that leave in bursts: the rate of whole bursts, not that inside one
    std::vector<std::uint64_t> bursts, error_amplifying;
    for (int burst = 0; burst < 6; ++burst) {
        bursts.insert(bursts.end(), 15, 100);
        bursts.push_back(8500);
        error_amplifying.insert(error_amplifying.end(), 15, 100);
        error_amplifying.push_back(8500 + 7 * static_cast<std::uint64_t>(burst * burst));
    }
    CHECK(steady_interval(ends_of(bursts)) == 625);
    CHECK(steady_interval(ends_of(error_amplifying)) == Approx(630).epsilon(0.02));
    // two such places: the longer one counts
    CHECK(steady_interval(ends_of({50, 50, 50, 50, 50, 50, 70, 70, 70, 70, 70, 70, 10})) == 70);
    // none: the later half
    CHECK(steady_interval(ends_of({100, 90, 80, 70})) == 75);
    CHECK(steady_interval(ends_of({40})) == 40);
}

TEST_CASE("figures of the performance-check section follow from the run") {
    const Outcome run = run_real(two_ops("  whole: {graph-name: g, cycles-per-tensor: {expected: 1, rtol: 0.1}, "
                                         "tensors-per-second: {min_bound: 1}, backend-samples-per-second: 0}\n"
                                         "  one:\n    target-ops: [grow]\n    target-inputs: [1, -1]\n"
                                         "    execution-cycles: {expected: 0}\n    math-utilization: 0\n"
                                         "    output-bw: {expected: 0}\n"),
                                 Mode::Timing);
    REQUIRE(run.error == "");
    REQUIRE(run.report.performance.size() == 6);
    const GraphReport& graph = run.report.graphs.at(0);
    CHECK(figure(run, "cycles-per-tensor").measured ==
          Approx(static_cast<double>(graph.last_input_packed - graph.first_input_packed) / 5));
    CHECK(graph.last_input_packed <= graph.last_end);
    CHECK_FALSE(figure(run, "cycles-per-tensor").met());
    CHECK(figure(run, "tensors-per-second").met());
    CHECK_FALSE(figure(run, "backend-samples-per-second").judged());
    CHECK_FALSE(run.report.fast_enough());
    const double cycles = figure(run, "execution-cycles").measured;
    CHECK(cycles > 0);
    CHECK(cycles < static_cast<double>(graph.active_cycles));
    CHECK(figure(run, "math-utilization").measured > 50);  // exp keeps the SFPU busy
    CHECK(figure(run, "math-utilization").measured <= 100);
    // 8 tiles an input at 1 GHz: exp is what takes the time
    CHECK(figure(run, "output-bw").measured ==
          Approx(8 * 2080 / figure(run, "cycles-per-tensor").measured).epsilon(0.02));
}

TEST_CASE("a run that meets its figures is fast enough") {
    const Outcome run = run_real(two_ops("  a: {cycles-per-tensor: {expected: 100000, rtol: 1.0}}\n"), Mode::Timing);
    CHECK(run.report.fast_enough());
}

TEST_CASE("a performance-check of something unknown is refused where it stands") {
    const Outcome run = run_real(two_ops("  a: {target-ops: [groww], execution-cycles: 5}\n"), Mode::Timing);
    CHECK(run.exit_code == 2);
    CHECK(run.error.find("matches op 'groww', which the netlist does not have; did you mean 'grow'?") !=
          std::string::npos);
}

TEST_CASE("a performance-check of a graph that is not there is left out, with a note") {
    const Outcome run = run_real(two_ops("  a: {graph-name: gg, target-ops: [x], execution-cycles: 5}\n"
                                         "  b: {graph-name: g, cycles-per-tensor: 5}\n"),
                                 Mode::Timing);
    REQUIRE(run.error == "");
    REQUIRE(run.report.performance.size() == 1);
    CHECK(run.report.performance[0].check == "b");
    REQUIRE(run.report.notes.size() == 1);
    CHECK(run.report.notes[0].find(
              "performance-check 'a' is left out: the netlist has no graph 'gg'; did you mean 'g'?") !=
          std::string::npos);
}

TEST_CASE("a performance-check of a graph or op on several chips means every copy") {
    const auto text = [](const std::string& target) {
        NetlistText n;
        const Cut cut{.m = 2, .n = 2, .rt = 1, .ct = 2};
        n.queue({.name = "x", .cut = cut, .entries = 6});
        n.queue({.name = "y", .input = "grow", .cut = cut, .entries = 6});
        n.graph("g", 6);
        n.op({.name = "grow", .type = "exp", .inputs = {"x"}, .cut = cut});
        n.program("p", looped(1, {execute("g", {fifo("x")})}, 6, 12));
        std::string all = n.text();
        for (std::size_t at = 0; (at = all.find("target_device: 0", at)) != std::string::npos; ++at)
            all.replace(at, 16, "target_device: [0, 1]");
        return all + "performance-check:\n  a: {" + target + ", execution-cycles: 1, cycles-per-tensor: 1}\n";
    };
    const Outcome both = run_real(text("graph-name: g, target-ops: [grow]"), Mode::Timing);
    REQUIRE(both.error == "");
    CHECK(both.report.notes.empty());
    CHECK(figure(both, "execution-cycles").measured > 0);
    const Outcome one = run_real(text("graph-name: g.1, target-ops: [grow.1]"), Mode::Timing);
    REQUIRE(one.error == "");
    CHECK(figure(one, "execution-cycles").measured > 0);
    CHECK(figure(both, "cycles-per-tensor").measured ==
          Approx((figure(one, "cycles-per-tensor").measured +
                  figure(run_real(text("graph-name: g.0"), Mode::Timing), "cycles-per-tensor").measured) /
                 2));
    CHECK(run_real(text("graph-name: g, target-ops: [grow.2]"), Mode::Timing).exit_code == 2);
}

TEST_CASE("an op alone takes no longer than in its graph, and needs no neighbour") {
    RunOptions options;
    options.perf_op = "grow";
    const Outcome alone = run_real(two_ops(""), Mode::Full, options);
    REQUIRE(alone.error == "");
    const Outcome all = run_real(two_ops(""), Mode::Timing);
    REQUIRE(alone.report.graphs.at(0).ops.size() == 1);
    const OpReport& in_graph = all.report.graphs.at(0).ops.at(0);
    CHECK(alone.report.cycles > 0);
    CHECK(alone.report.cycles <= in_graph.last_cycle - in_graph.first_cycle);
    CHECK(alone.report.graphs[0].ops[0].tiles == in_graph.tiles);
    options.perf_op = "grew";
    CHECK(run_real(two_ops(""), Mode::Timing, options).error.find("did you mean 'grow'?") != std::string::npos);
}

TEST_CASE("a run reports the L1 and DRAM that it uses") {
    const Outcome run = run_real(two_ops(""), Mode::Timing);
    REQUIRE(run.error == "");
    const GraphReport& graph = run.report.graphs.at(0);
    const MemoryUse& memory = run.report.memory;
    // a double buffer of 8 tiles for the output, and 16 tiles (32 KiB) for the input
    for (const OpReport& op : graph.ops) CHECK(op.l1_bytes == (2 * 8 + 16) * 2080);
    CHECK(memory.l1_bytes == (2 * 8 + 16) * 2080);
    CHECK(memory.l1_share > 0);
    CHECK(memory.l1_share < 1);
    // two queues of 6 entries of 8 tiles, each with a header
    CHECK(memory.dram_bytes == 2 * (6 * 8 * 2080 + 32));
    CHECK(memory.dram_share == Approx(static_cast<double>(memory.dram_bytes) / (6.0 * (2ULL << 30))));
    CHECK(run.report.dram_busy_share() > 0);
    CHECK(run.report.dram_busy_share() <= 1);
    CHECK(run.report.math_utilization() == graph.math_utilization());
    CHECK(graph.math_utilization() > 0);
    CHECK(graph.math_utilization() <= 1);
    const Outcome functional = run_real(two_ops(""), Mode::Functional);
    CHECK(functional.report.memory.l1_bytes == memory.l1_bytes);
    CHECK(functional.report.memory.dram_bytes == memory.dram_bytes);
    CHECK(functional.report.memory.dram_busy_cycles == 0);
}
