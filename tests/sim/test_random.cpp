#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/sim/random_netlist.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

TEST_CASE("random netlists give golden's values, in both computing orders, and the same cycles without values") {
    int hangs = 0;
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        const RandomNetlist netlist = random_netlist(seed);
        INFO("seed " << seed << "\n" << netlist.text);
        const Outcome functional = run_text(netlist.text, sim::Mode::Functional);
        REQUIRE(functional.error == "");
        if (!functional.report.pass()) FAIL_CHECK(verdicts(functional));
        const Outcome full = run_text(netlist.text, sim::Mode::Full);
        if (netlist.may_hang && full.exit_code == 3) {
            ++hangs;
            continue;
        }
        REQUIRE(full.error == "");
        CHECK(differing(functional, full).empty());
        const Outcome timing = run_text(netlist.text, sim::Mode::Timing);
        CHECK(timing.report.cycles == full.report.cycles);
    }
    CHECK(hangs <= 8);
}

namespace {

/// Root of the mean square of fast less exact, as part of that of exact, of the worst output.
double worst_distance(const Outcome& fast, const Outcome& exact) {
    double worst = 0;
    for (const auto& [name, array] : exact.outputs) {
        const QueueArray& other = fast.outputs.at(name);
        REQUIRE(other.entries.size() == array.entries.size());
        double difference = 0, size = 0;
        for (std::size_t k = 0; k < array.entries.size(); ++k)
            for (std::size_t i = 0; i < array.entries[k].data.size(); ++i) {
                const double a = other.entries[k].data[i], b = array.entries[k].data[i];
                difference += (a - b) * (a - b);
                size += b * b;
            }
        if (size > 0) worst = std::max(worst, std::sqrt(difference / size));
    }
    return worst;
}

void check_math(std::uint32_t seed, double bound) {
    const RandomNetlist netlist = random_netlist(seed);
    INFO("seed " << seed << "\n" << netlist.text);
    const Outcome fast = run_real(netlist.text, sim::Mode::Functional);
    const Outcome exact = run_exact(netlist.text, sim::Mode::Functional);
    REQUIRE(fast.error == "");
    REQUIRE(exact.error == "");
    CHECK(worst_distance(fast, exact) < bound);
}

}  // namespace

TEST_CASE("random netlists agree between fast and exact math up to rounding") {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) check_math(seed, 0.03);
}

// Run by hand or at night: test_sim "[nightly]"
TEST_CASE("1000 random netlists agree between fast and exact math up to rounding", "[.][nightly]") {
    for (std::uint32_t seed = 1000; seed < 2000; ++seed) check_math(seed, 0.1);  // some take differences
}
