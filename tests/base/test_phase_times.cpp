#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/phase_times.hpp"

using namespace ttsim::impl;

namespace {

void work(int inner) {
    const TimedPhase timed("work");
    for (int k = 0; k < inner; ++k) const TimedPhase part("part");
}

}  // namespace

TEST_CASE("phases are counted inside the phases that call them") {
    PhaseTimes times("whole");
    work(2);
    work(1);
    { const TimedPhase other("other work"); }
    const PhaseTime whole = times.end();
    CHECK(whole.name == "whole");
    REQUIRE(whole.phases.size() == 2);
    CHECK(whole.phases[0].name == "work");
    CHECK(whole.phases[0].calls == 2);
    REQUIRE(whole.phases[0].phases.size() == 1);
    CHECK(whole.phases[0].phases[0].calls == 3);
    CHECK(whole.phases[1].name == "other work");
    CHECK(whole.seconds >= whole.phases[0].seconds + whole.phases[1].seconds);
    CHECK(whole.phases[0].seconds >= whole.phases[0].phases[0].seconds);
}

TEST_CASE("a phase ends with an exception") {
    PhaseTimes times("whole");
    CHECK_THROWS([] {
        const TimedPhase timed("broken");
        throw std::runtime_error("");
    }());
    { const TimedPhase timed("next"); }
    const PhaseTime whole = times.end();
    REQUIRE(whole.phases.size() == 2);
    CHECK(whole.phases[1].name == "next");
}

TEST_CASE("threads of a loop are not measured apart, and phases outside a measurement cost nothing") {
    PhaseTimes times("whole");
    std::atomic<int> done = 0;
    parallel_for(2, 8, [&](std::size_t) {
        work(1);
        ++done;
    });
    const PhaseTime whole = times.end();
    CHECK(done == 8);
    CHECK(whole.phases.empty());
    work(1);
    CHECK(whole.phases.empty());
}

TEST_CASE("a phase has the peak of its memory and what it keeps") {
    constexpr std::size_t bytes = std::size_t{64} << 20, most_else = std::size_t{16} << 20;
    PhaseTimes times("whole");
    { const TimedPhase small("before"); }
    std::vector<char> kept;
    {
        const TimedPhase timed("keeps");
        kept.assign(bytes, 'x');
    }
    const PhaseTime whole = times.end();
    CHECK(kept.back() == 'x');
    const PhaseTime &before = whole.phases[0], &keeps = whole.phases[1];
    CHECK(keeps.growth > static_cast<std::int64_t>(bytes - most_else));
    CHECK(keeps.peak > before.peak + static_cast<std::int64_t>(bytes - most_else));
    CHECK(whole.peak >= keeps.peak);
}

TEST_CASE("the table leaves out small phases, whose time is that of others") {
    const PhaseTime whole{
        .name = "whole",
        .calls = 1,
        .seconds = 1,
        .phases = {{.name = "large", .calls = 2, .seconds = 0.75}, {.name = "small", .seconds = 0.001}}};
    const std::string all = phase_table(whole), most = phase_table(whole, 0.01);
    CHECK(all.find("small") != std::string::npos);
    CHECK(most.find("small") == std::string::npos);
    CHECK(most.find("   0.750000    0.000000  75.0%      2      0.0      +0.0    large\n") != std::string::npos);
    CHECK(most.find("   0.250000    0.000000  25.0%                              other\n") != std::string::npos);
}
