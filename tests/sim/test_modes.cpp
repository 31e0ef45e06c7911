#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/report/run_report.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

/// y = (x + w) * exp(x), re-cut on the way; x has two readers.
std::string small_graph() {
    NetlistText n;
    const Cut four{.grid_r = 2, .grid_c = 1, .m = 1, .n = 2, .rt = 1, .ct = 2};
    n.queue({.name = "x", .cut = {.m = 2, .n = 2, .rt = 1, .ct = 2}, .entries = 4});
    n.queue({.name = "w", .cut = {.m = 1, .n = 4, .rt = 2, .ct = 1}, .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "product", .cut = four, .entries = 4});
    n.graph("g", 2);
    n.op({.name = "sum", .type = "add", .inputs = {"x", "w"}, .cut = four});
    n.op({.name = "grown",
          .type = "exp",
          .inputs = {"x"},
          .cut = {.grid_c = 4, .m = 2, .n = 1},
          .row = 2,
          .order = "c"});
    n.op({.name = "product", .type = "multiply", .inputs = {"sum", "grown"}, .cut = four, .col = 1});
    n.program("p", looped(2, {execute("g", {fifo("x"), ram("w", true)})}, 2, 8));
    return n.text();
}

}  // namespace

TEST_CASE("a graph leaves the values of its formula, whichever mode computes them") {
    for (const sim::Mode mode : {sim::Mode::Functional, sim::Mode::Full}) {
        const Outcome run = run_text(small_graph(), mode);
        REQUIRE(verdicts(run) == "y passes");
        REQUIRE(run.outputs.at("y").entries.size() == 4);
        const Tensor& w = run.inputs.at("w").entries.at(0);
        for (std::size_t n = 0; n < 4; ++n) {
            const Tensor& x = run.inputs.at("x").entries.at(n);
            const Tensor& y = run.outputs.at("y").entries.at(n);
            REQUIRE((y.z == 1 && y.rows == 64 && y.cols == 128));
            for (std::size_t i = 0; i < y.data.size(); i += 7)
                CHECK(y.data[i] == Approx((x.data[i] + w.data[i]) * std::exp(x.data[i])).epsilon(1e-5).margin(1e-6));
        }
    }
}

TEST_CASE("the modes agree: values in functional and full, cycles in full and timing") {
    const Outcome functional = run_real(small_graph(), sim::Mode::Functional);
    const Outcome full = run_real(small_graph(), sim::Mode::Full);
    const Outcome timing = run_real(small_graph(), sim::Mode::Timing);
    CHECK(verdicts(full) == "y passes");
    CHECK(differing(functional, full).empty());
    CHECK(functional.report.cycles == 0);
    CHECK(full.report.cycles > 0);
    CHECK(timing.report.cycles == full.report.cycles);
    CHECK(timing.report.outputs.empty());  // nothing to judge
    REQUIRE(timing.report.graphs.size() == 1);
    CHECK(timing.report.graphs[0].executes == 2);
    CHECK(timing.report.graphs[0].inputs == 4);
    REQUIRE(timing.report.graphs[0].ops.size() == 3);
    for (std::size_t o = 0; o < 3; ++o) {
        const sim::OpReport &a = full.report.graphs[0].ops[o], &b = timing.report.graphs[0].ops[o];
        CHECK(a.tiles == 4 * 8);
        CHECK(b.tiles == a.tiles);
        CHECK(b.first_cycle == a.first_cycle);
        CHECK(b.last_cycle == a.last_cycle);
        CHECK(b.busy_cycles == a.busy_cycles);
        CHECK(a.first_cycle < a.last_cycle);
    }
}

TEST_CASE("exact math changes values but no cycle, in full and functional mode alike, and names what it leaves out") {
    const Outcome functional = run_exact(small_graph(), sim::Mode::Functional);
    const Outcome full = run_exact(small_graph(), sim::Mode::Full);
    const Outcome fast = run_real(small_graph(), sim::Mode::Full);
    CHECK(verdicts(full) == "y passes");
    CHECK(differing(functional, full).empty());
    CHECK(differing(full, fast) == std::vector<std::string>{"y"});
    CHECK(full.report.cycles == fast.report.cycles);
    REQUIRE(full.report.notes.size() == 1);
    CHECK(full.report.notes[0].find("exp computed as with --math fast") != std::string::npos);
    CHECK(fast.report.notes.empty());
    CHECK(run_exact(small_graph(), sim::Mode::Timing).report.notes.empty());
}

TEST_CASE("reports and values do not depend on the number of threads") {
    const std::string text = small_graph();
    for (const sim::Mode mode : {sim::Mode::Full, sim::Mode::Timing, sim::Mode::Functional}) {
        sim::RunOptions one, two;
        one.threads = 1;
        two.threads = 2;
        Outcome a = run_real(text, mode, one), b = run_real(text, mode, two);
        b.report.netlist = a.report.netlist;  // a file name of the test's own
        CHECK(report::json(a.report) == report::json(b.report));
        CHECK(differing(a, b).empty());
    }
}

TEST_CASE("an op that needs whole inputs waits for all of their slices") {
    NetlistText n;
    const Cut four{.m = 1, .n = 2, .t = 4};
    n.queue({.name = "x", .cut = four, .entries = 4});
    n.queue({.name = "y", .input = "joined", .cut = {.m = 1, .n = 2, .t = 4}, .entries = 4});
    n.graph("g", 2);
    n.op({.name = "slow", .type = "exp", .inputs = {"x"}, .cut = four});
    n.op({.name = "fast", .type = "nop", .inputs = {"x"}, .cut = four, .col = 1});
    n.op({.name = "joined",
          .type = "splice",
          .inputs = {"slow", "fast"},
          .cut = four,
          .col = 2,
          .more = "attributes: {granularity: t, input0: [1, 1, 1], input1: [1, 1, 1]}"});
    n.program("p", looped(2, {execute("g", {fifo("x")})}, 2, 8));
    const Outcome functional = run_text(n.text(), sim::Mode::Functional), full = run_text(n.text(), sim::Mode::Full);
    REQUIRE(verdicts(full) == "y passes");
    CHECK(differing(functional, full).empty());
}

TEST_CASE("a splice by ublock begins with its first operand and skips unused tiles") {
    const Cut wide{.m = 16, .n = 10, .t = 2}, narrow{.m = 16, .n = 4, .t = 2}, both{.m = 16, .n = 8, .t = 2};
    const auto joined = [&](const std::string& runs) {
        NetlistText n;
        n.queue({.name = "x", .cut = wide});
        n.queue({.name = "z", .cut = narrow});
        n.queue({.name = "y", .input = "joined", .cut = both});
        n.graph("g", 2);
        n.op({.name = "slow", .type = "exp", .inputs = {"x"}, .cut = wide});
        n.op({.name = "fast", .type = "nop", .inputs = {"z"}, .cut = narrow, .col = 1});
        n.op({.name = "joined", .type = "splice", .inputs = {"slow", "fast"}, .cut = both, .col = 2, .more = runs});
        n.program("p", looped(1, {execute("g", {fifo("x"), fifo("z")})}, 2, 4));
        return n.text();
    };
    for (const std::string runs : {"attributes: {input0: [5, 4, 5], input1: [0, 4, 4]}",           // row by row
                                   "attributes: {input0: [32, 64, 128], input1: [0, 64, 64]}"}) {  // the result once
        CAPTURE(runs);
        const Outcome functional = run_text(joined(runs), sim::Mode::Functional),
                      full = run_text(joined(runs), sim::Mode::Full);
        REQUIRE(verdicts(full) == "y passes");
        CHECK(differing(functional, full).empty());
        const auto& ops = full.report.graphs.at(0).ops;
        const auto at = [&](const std::string& name) {
            return std::find_if(ops.begin(), ops.end(), [&](const auto& op) { return op.name == name; });
        };
        // two inputs of two slices
        if (runs.find("64") == std::string::npos) CHECK(at("joined")->first_cycle < at("slow")->last_cycle / 8);
    }
}

TEST_CASE("another seed gives other values and the same cycles") {
    sim::RunOptions other;
    other.seed = 7;
    const Outcome a = run_real(small_graph(), sim::Mode::Full), b = run_real(small_graph(), sim::Mode::Full, other);
    CHECK(differing(a, b) == std::vector<std::string>{"y"});
    CHECK(a.report.cycles == b.report.cycles);
}

TEST_CASE("a file that fits only its second arch runs there") {
    NetlistText n("[grayskull, wormhole_b0]");
    // 17 x 2 mblocks of 14 tiles of Float16_b: 990 KB of output buffer
    const Cut big{.m = 1, .n = 60, .rt = 2, .ct = 2};
    n.queue({.name = "x", .cut = big, .entries = 2});
    n.queue({.name = "y", .input = "o", .cut = big, .entries = 2});
    n.graph("g", 2);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}, .cut = big});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 2, 4));
    const Outcome run = run_text(n.text(), sim::Mode::Full);
    CHECK(verdicts(run) == "y passes");
    CHECK(run.report.arch == "wormhole_b0");
    sim::RunOptions forced;
    forced.arch = "grayskull";
    const Outcome refused = run_text(n.text(), sim::Mode::Full, forced);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.error, Catch::Contains("op 'o' needs"));
    CHECK_THAT(refused.error, Catch::Contains("of L1 per core"));
}

TEST_CASE("dumped inputs give the same outputs again") {
    const Outcome first = run_real(small_graph(), sim::Mode::Full);
    CHECK(first.inputs.size() == 2);
    CHECK(first.inputs.at("x").entries.size() == 4);
    CHECK(first.inputs.at("w").entries.size() == 1);
}

TEST_CASE("a maximum over tiles padded with minus infinity keeps the other operand") {
    NetlistText n;
    const Cut narrow{.m = 2, .n = 1}, wide{.m = 2, .n = 3};
    n.queue({.name = "x", .cut = narrow});
    n.queue({.name = "w", .cut = wide});
    n.queue({.name = "y", .input = "most", .cut = wide});
    n.graph("g", 2);
    n.op({.name = "most",
          .type = "maximum",
          .inputs = {"x", "w"},
          .cut = wide,
          .more = "input_0_pad: {rt: 0, ct: 2, pad_value: -.inf}"});
    n.program("p", looped(1, {execute("g", {fifo("x"), fifo("w")})}, 2, 4));
    for (const sim::Mode mode : {sim::Mode::Functional, sim::Mode::Full}) {
        CHECK(verdicts(run_real(n.text(), mode)) == "y passes");
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(verdicts(run) == "y passes");
        const Tensor &w = run.inputs.at("w").entries.at(1), &y = run.outputs.at("y").entries.at(1);
        bool kept = true, picked = false;
        for (std::int64_t r = 0; r < y.rows; ++r)
            for (std::int64_t c = 0; c < y.cols; ++c) {
                const bool same = std::equal_to<>()(y.slice(0).at(r, c), w.slice(0).at(r, c));
                (c < 32 ? picked : kept) = c < 32 ? picked || !same : kept && same;
            }
        CHECK(kept);
        CHECK(picked);
    }
}

TEST_CASE("a program that sets a $p_ name of its own runs with it") {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "y", .input = "copy", .entries = 4});
    n.graph("g", 2);
    n.op({.name = "copy", .type = "nop", .inputs = {"x"}});
    std::vector<std::string> program = looped(2, {execute("g", {fifo("x")})}, 2, 8);
    for (std::string& instruction : program)
        if (instruction.starts_with("loop:")) instruction = "loop: $p_times";
    program.insert(program.begin() + 1, "varinst: [$p_times, set, 2]");
    n.program("p", program);
    const Outcome run = run_text(n.text(), sim::Mode::Full);
    REQUIRE(verdicts(run) == "y passes");
    CHECK(run.outputs.at("y").entries.size() == 4);
}
