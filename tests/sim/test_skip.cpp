// Timing mode skips repeated inputs. The report must not differ.
#include <catch2/catch.hpp>

#include "analysis/report/run_report.hpp"
#include "sim/machine/entry_set.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/random_netlist.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;
using namespace ttsim::impl::test;

namespace {

Outcome timing(const std::string& text, bool extrapolate, RunOptions options = {}) {
    options.extrapolate = extrapolate;
    return run_text(text, Mode::Timing, options);
}

std::string json(Outcome& run) {
    run.report.netlist = "n";  // each run writes its own file
    return report::json(run.report);
}

/// A chain of three ops over a queue that the host fills.
std::string chain(int inputs, int loops, int entries) {
    NetlistText n;
    const Cut cut{.m = 2, .n = 2, .rt = 1, .ct = 2};
    n.queue({.name = "x", .cut = cut, .entries = entries});
    n.queue({.name = "y", .input = "last", .cut = cut, .entries = entries});
    n.graph("g", inputs);
    n.op({.name = "first", .type = "exp", .inputs = {"x"}, .cut = cut});
    n.op({.name = "second", .type = "add", .inputs = {"first", "x"}, .cut = cut, .col = 1});
    n.op({.name = "last", .type = "gelu", .inputs = {"second"}, .cut = cut, .col = 2});
    n.program("p", looped(loops, {execute("g", {fifo("x")})}, inputs, 2 * entries));
    return n.text();
}

}  // namespace

TEST_CASE("inputs that repeat exactly are added, not simulated, and the report is the same") {
    Outcome skipped = timing(chain(400, 1, 400), true), simulated = timing(chain(400, 1, 400), false);
    REQUIRE(skipped.error == "");
    CHECK(json(skipped) == json(simulated));
    CHECK(skipped.report.inputs_skipped > 300);
    CHECK(simulated.report.inputs_skipped == 0);
}

TEST_CASE("rounds of a loop that repeat exactly are added, with the pointers they would have moved") {
    for (const int entries : {5, 10, 30}) {
        Outcome skipped = timing(chain(5, 200, entries), true), simulated = timing(chain(5, 200, entries), false);
        REQUIRE(skipped.error == "");
        CHECK(json(skipped) == json(simulated));
        CHECK(skipped.report.inputs_skipped > 800);
    }
}

TEST_CASE("iterations of any number of executes are added") {
    // each graph has a queue and pointers of its own, so that an iteration has 120 commands
    NetlistText n;
    std::vector<std::string> executes;
    constexpr int graphs = 40, loops = 60;
    n.queue({.name = "q0", .entries = 4});
    for (int g = 0; g < graphs; ++g) {
        n.queue({.name = fmt::format("q{}", g + 1), .input = fmt::format("op{}", g), .entries = 4});
        n.graph(fmt::format("g{}", g), 1);
        n.op({.name = fmt::format("op{}", g), .type = "nop", .inputs = {fmt::format("q{}", g)}});
        executes.push_back(execute(fmt::format("g{}", g), {fifo(fmt::format("q{}", g))}));
    }
    n.program("p", looped(loops, executes, 1, 8));
    Outcome skipped = timing(n.text(), true), simulated = timing(n.text(), false);
    REQUIRE(skipped.error == "");
    CHECK(json(skipped) == json(simulated));
    CHECK(skipped.report.inputs_skipped > graphs * loops / 2);
}

TEST_CASE("rounds that run fewer inputs than the program counts are added too") {
    // The entries pushed have gaps then. Each comparison of all commands to come would make the run quadratic.
    for (const int inputs : {1, 2, 4})
        for (const int entries : {5, 10, 30}) {
            INFO(inputs << " of 5 inputs, " << entries << " entries");
            RunOptions options;
            options.inputs_count = inputs;
            Outcome skipped = timing(chain(5, 200, entries), true, options),
                    simulated = timing(chain(5, 200, entries), false, options);
            REQUIRE(skipped.error == "");
            CHECK(json(skipped) == json(simulated));
            CHECK(skipped.report.inputs_skipped > 160 * inputs);
        }
}

TEST_CASE("the report has the number of inputs that ran, not the requested one") {
    RunOptions options;
    CHECK(timing(chain(5, 2, 10), true).report.inputs_count == 5);
    options.inputs_count = 3;
    CHECK(timing(chain(5, 2, 10), true, options).report.inputs_count == 3);
    options.inputs_count = 500;
    CHECK(timing(chain(5, 2, 10), true, options).report.inputs_count == 5);
}

TEST_CASE("the report of a long run of any netlist is that of simulating it all") {
    std::int64_t skipping = 0;
    for (std::uint32_t seed = 100; seed < 150; ++seed) {
        const std::string text = random_netlist(seed, true).text;
        INFO("seed " << seed << "\n" << text);
        Outcome skipped = timing(text, true), simulated = timing(text, false);
        CHECK(skipped.exit_code == simulated.exit_code);
        if (skipped.exit_code == 3)
            CHECK(skipped.error.substr(skipped.error.find("cycle")) ==
                  simulated.error.substr(simulated.error.find("cycle")));
        CHECK(json(skipped) == json(simulated));
        skipping += skipped.report.inputs_skipped > 0;
    }
    CHECK(skipping > 8);  // where the host pops slowest, a queue fills up first
}

TEST_CASE("a set of entries keeps its runs apart and joins them") {
    EntrySet set;
    for (const std::int64_t n : {5, 7, 6, 1, 6}) set.insert(n);
    CHECK(set.runs() == 2);
    CHECK(set.contains(1));
    CHECK_FALSE(set.contains(2));
    CHECK(set.run_end(5) == 8);
    CHECK(set.run_end(2) == 2);
    CHECK(set.next(2) == 5);
    CHECK(set.next(6) == 6);
    CHECK_FALSE(set.next(8));
    set.erase_below(6);
    CHECK(set.next(0) == 6);
    CHECK(set.runs() == 1);
}
