#include <catch2/catch.hpp>

#include "tests/sim/random_netlist.hpp"
#include "tests/sim/run_text.hpp"

using namespace tt;
using namespace tt::test;

TEST_CASE("random netlists give golden's values, in both orders of computing, and the same cycles without values") {
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
