// Loops that run on several chips at once are skipped as well, and the report must not differ.
#include <catch2/catch.hpp>

#include "analysis/report/run_report.hpp"
#include "tests/sim/chip_loops.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;
using namespace ttsim::impl::test;

namespace {

/// Runs with and without skipping, and compares the reports. Returns the number of inputs skipped.
std::int64_t compare(const std::string& text, std::uint32_t threads = 1, RunOptions options = {}) {
    options.threads = threads;
    Outcome runs[2];
    for (const bool extrapolate : {false, true}) {
        options.extrapolate = extrapolate;
        runs[extrapolate] = run_text(text, Mode::Timing, options);
        runs[extrapolate].report.netlist = "n";  // each run writes its own file
    }
    CHECK(runs[0].error == "");
    CHECK(runs[1].error == "");
    CHECK(report::json(runs[0].report) == report::json(runs[1].report));
    for (std::size_t g = 0; g < runs[0].report.graphs.size(); ++g)  // an input of the netlist's performance checks
        CHECK(runs[0].report.graphs[g].last_input_packed == runs[1].report.graphs.at(g).last_input_packed);
    CHECK(runs[0].report.inputs_skipped == 0);
    return runs[1].report.inputs_skipped;
}

}  // namespace

TEST_CASE("rounds of a loop on several chips at once are added, as those on one are") {
    constexpr int loops = 400;
    for (const int chips : {1, 2, 4}) {
        INFO(chips << " chips");
        CHECK(compare(separate_chips(chips, loops, 4)) > chips * loops * 3 / 4);
        CHECK(compare(chain_over_chips(chips, loops, 4, 1)) > chips * loops * 3 / 4);
        CHECK(compare(chain_over_chips(chips, loops, 12, 3)) > 3 * chips * loops * 3 / 4);
    }
}

TEST_CASE("a graph behind a loop starts on its idle chip as early as when the loop is simulated") {
    // The commands behind a loop are looked at while its last rounds run.
    for (const int loops : {10, 60, 200}) {
        INFO(loops << " rounds");
        compare(separate_chips(2, loops, 4, "g1"));
        compare(separate_chips(3, loops, 4, "g2"));
    }
}

TEST_CASE("the report of any loop over chips is that of simulating it all") {
    for (const int chips : {1, 2, 4}) {
        int skipping = 0;
        constexpr std::uint32_t threads[] = {1, 2, 16};
        for (std::uint32_t seed = 0; seed < 24; ++seed) {
            const std::string text = random_chip_loops(seed, chips);
            INFO(chips << " chips, seed " << seed << "\n" << text);
            RunOptions options;
            if (seed % 4 == 3) options.inputs_count = 1;
            skipping += compare(text, threads[seed % 3], options) > 0;
        }
        INFO(chips << " chips");
        CHECK(skipping >= 16);
    }
}
