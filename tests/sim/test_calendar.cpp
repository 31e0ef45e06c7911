#include <catch2/catch.hpp>

#include <stdexcept>
#include <tuple>

#include "sim/machine/calendar.hpp"

using namespace ttsim::impl::sim;

namespace {

/// Writes down what happens; event 100 schedules another at its argument, 200 throws.
struct Recorder : Actor {
    using Line = std::tuple<Cycle, std::uint32_t, std::uint64_t>;
    const Cycle& now;
    Calendar* calendar = nullptr;
    std::vector<Line>& lines;
    Recorder(const Cycle& n, std::vector<Line>& l) : now(n), lines(l) {}
    void on_event(std::uint32_t what, std::uint64_t argument) override {
        lines.emplace_back(now, what, argument);
        if (what == 100) calendar->at(argument, *this, 4, 0);
        if (what == 200) throw std::runtime_error("broken");
    }
};

}  // namespace

TEST_CASE("events of a calendar happen by cycle, and within a cycle in the order they were scheduled") {
    Clock clock;
    Calendar calendar(clock);
    std::vector<Recorder::Line> lines;
    Recorder recorder(clock.now(), lines);
    recorder.calendar = &calendar;
    calendar.at(5, recorder, 1, 10);
    calendar.at(3, recorder, 100, 5);  // puts event 4 behind those of cycle 5
    calendar.at(5, recorder, 2, 20);
    calendar.at(5'000'000'000'000, recorder, 3, 30);
    clock.run_to(~Cycle{0});
    using Lines = std::vector<Recorder::Line>;
    CHECK(lines == Lines{{3, 100, 5}, {5, 1, 10}, {5, 2, 20}, {5, 4, 0}, {5'000'000'000'000, 3, 30}});
    CHECK(calendar.events() == 5);
}

TEST_CASE("an event scheduled for the present happens in the same cycle") {
    Clock clock;
    Calendar calendar(clock);
    std::vector<Recorder::Line> lines;
    Recorder recorder(clock.now(), lines);
    recorder.calendar = &calendar;
    calendar.at(7, recorder, 100, 7);
    calendar.at(8, recorder, 1, 0);
    clock.run_to(~Cycle{0});
    CHECK(lines == std::vector<Recorder::Line>{{7, 100, 7}, {7, 4, 0}, {8, 1, 0}});
}

TEST_CASE("calendars that wake each other have a deterministic order") {
    std::vector<Recorder::Line> first;
    for (int round = 0; round < 3; ++round) {
        Clock clock;
        Calendar a(clock), b(clock);
        std::vector<Recorder::Line> lines;
        Recorder to_a(clock.now(), lines), to_b(clock.now(), lines);
        to_a.calendar = &b;  // events on one chip schedule work on the other
        to_b.calendar = &a;
        for (Cycle n = 1; n <= 50; ++n) {
            a.at(n, to_a, 100, n + n % 3);
            b.at(n, to_b, 100, n + n % 5);
        }
        clock.run_to(~Cycle{0});
        CHECK(lines.size() == 200);
        for (std::size_t n = 1; n < lines.size(); ++n) CHECK(std::get<0>(lines[n - 1]) <= std::get<0>(lines[n]));
        if (round == 0) first = lines;
        CHECK(lines == first);
    }
}

TEST_CASE("after a failure nothing more runs and the first exception is rethrown") {
    Clock clock;
    Calendar calendar(clock), other(clock);
    std::vector<Recorder::Line> lines;
    Recorder recorder(clock.now(), lines);
    calendar.at(1, recorder, 1);
    calendar.at(2, recorder, 200);
    calendar.at(2, recorder, 2);
    other.at(3, recorder, 3);
    clock.run_to(~Cycle{0});
    CHECK(lines == std::vector<Recorder::Line>{{1, 1, 0}, {2, 200, 0}});
    CHECK(clock.failure().any());
    CHECK_THROWS_WITH(clock.failure().rethrow(), "broken");
}
