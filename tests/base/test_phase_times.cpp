#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "base/parallel.hpp"
#include "base/phase_times.hpp"

using namespace ttsim::impl;

namespace {

void work(int inner) {
    const TimedPhase timed("work");
    for (int k = 0; k < inner; ++k) const TimedPhase part("part");
}

/// Not with sanitizers, which keep shadows of memory and what was freed.
void check_at_most([[maybe_unused]] std::int64_t growth, [[maybe_unused]] std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(growth < static_cast<std::int64_t>(bytes));
#endif
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

namespace {

/// Keeps the processor busy for this long.
void compute(double seconds) {
    const auto used = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    for (const double begin = used(); used() - begin < seconds;) {
    }
}
void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

TEST_CASE("a phase has its own time and that of the phases inside, not that of others") {
    constexpr double busy = 0.05, idle = 0.2, slack = 0.1;
    PhaseTimes times("whole");
    {
        const TimedPhase outer("outer");
        {
            const TimedPhase inner("inner");
            compute(busy);
        }
        wait(idle);
        const TimedPhase second("second");
        compute(busy);
    }
    { const TimedPhase after("after"); }
    compute(busy);
    const PhaseTime whole = times.end();
    REQUIRE(whole.phases.size() == 2);
    const PhaseTime &outer = whole.phases[0], &after = whole.phases[1];
    REQUIRE(outer.phases.size() == 2);
    const PhaseTime &inner = outer.phases[0], &second = outer.phases[1];
    CHECK(inner.name == "inner");
    CHECK(second.name == "second");
    CHECK(inner.phases.empty());
    CHECK(inner.seconds >= busy);
    CHECK(outer.seconds >= inner.seconds + second.seconds + idle);
    // waiting takes no time of the processor
    CHECK(inner.processor_seconds >= 0.9 * busy);
    CHECK(outer.processor_seconds >= 1.8 * busy);
    CHECK(outer.processor_seconds < 2 * busy + slack);
    CHECK(after.processor_seconds < busy);
    CHECK(whole.processor_seconds >= outer.processor_seconds + 0.9 * busy);
}

TEST_CASE("a phase is found again only inside the same phase, also in itself") {
    PhaseTimes times("whole");
    for (const std::string_view outer : {"a", "b", "a"}) {
        const TimedPhase one(outer);
        const TimedPhase two("same");
        const TimedPhase three("same");
    }
    const PhaseTime whole = times.end();
    REQUIRE(whole.phases.size() == 2);
    for (const PhaseTime& outer : whole.phases) {
        const std::int64_t calls = outer.name == "a" ? 2 : 1;
        CHECK(outer.calls == calls);
        REQUIRE(outer.phases.size() == 1);
        CHECK(outer.phases[0].calls == calls);
        REQUIRE(outer.phases[0].phases.size() == 1);
        CHECK(outer.phases[0].phases[0].calls == calls);
        CHECK(outer.phases[0].phases[0].phases.empty());
    }
}

TEST_CASE("a measurement inside another one is apart, and phases go on in the outer one") {
    PhaseTimes times("whole");
    const auto inside = [] {
        PhaseTimes inner("inside");
        work(1);
        return inner.end();
    };
    CHECK(inside().phases.size() == 1);
    { PhaseTimes unused("not ended"); }
    { const TimedPhase timed("next"); }
    {
        const UntimedPhases shared;
        work(1);
    }
    { const TimedPhase timed("last"); }
    const PhaseTime whole = times.end();
    REQUIRE(whole.phases.size() == 2);
    CHECK(whole.phases[0].name == "next");
    CHECK(whole.phases[1].name == "last");
}

TEST_CASE("nothing is measured after end(), until the next measurement") {
    PhaseTimes times("whole");
    times.end();
    work(1);  // not measured any more
    PhaseTimes again("again");
    work(1);
    const PhaseTime whole = again.end();
    CHECK(whole.name == "again");
    CHECK(whole.phases.size() == 1);
    CHECK(whole.calls == 1);
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
    check_at_most(keeps.growth, bytes + most_else);
    CHECK(keeps.peak > before.peak + static_cast<std::int64_t>(bytes - most_else));
    CHECK(whole.peak >= keeps.peak);
}

TEST_CASE("calls of a phase add up, and its peak is at least that of the phases inside") {
    constexpr double busy = 0.03;
    constexpr std::size_t bytes = std::size_t{64} << 20, most_else = std::size_t{16} << 20;
    PhaseTimes times("whole");
    for (int call = 0; call < 3; ++call) {
        const TimedPhase outer("outer");
        compute(busy);
        if (call > 0) continue;
        const TimedPhase inner("inner");
        const std::vector<char> freed(bytes, 'x');
        CHECK(freed.back() == 'x');
    }
    const PhaseTime whole = times.end();
    const PhaseTime& outer = whole.phases[0];
    CHECK(outer.calls == 3);
    CHECK(outer.seconds >= 3 * busy);
    CHECK(outer.peak >= outer.phases[0].peak);
    CHECK(whole.peak >= outer.peak);
    check_at_most(outer.growth, most_else);
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
