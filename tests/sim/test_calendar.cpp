#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
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

TEST_CASE("events keep their order however far ahead they are scheduled") {
    // Each event schedules up to two more, from the same cycle to far beyond all wheels. Arguments are numbered in the
    // order of scheduling.
    struct Chain : Actor {
        Clock& clock;
        Calendar& calendar;
        std::mt19937 random{11};
        std::uint64_t scheduled = 0;
        std::vector<std::pair<Cycle, std::uint64_t>> served;
        Chain(Clock& c, Calendar& k) : clock(c), calendar(k) {}
        void schedule(Cycle when) { calendar.at(when, *this, 0, scheduled++); }
        void on_event(std::uint32_t, std::uint64_t argument) override {
            constexpr std::array<Cycle, 9> delays{0, 1, 63, 64, 2047, 2048, 131'071, 131'073, 40'000'000};
            served.emplace_back(clock.now(), argument);
            for (int n = 0; n < 2 && scheduled < 5000; ++n)
                schedule(clock.now() + delays[random() % delays.size()] + random() % 3);
        }
    };
    Clock clock;
    Calendar calendar(clock);
    Chain chain(clock, calendar);
    for (Cycle n = 0; n < 20; ++n) chain.schedule(n * 1000);
    clock.run_to(1'000'000);
    chain.schedule(clock.now());  // the wheel may have no event left near the present
    chain.schedule(clock.now() + 1);
    clock.run_to(~Cycle{0});
    CHECK(chain.served.size() == chain.scheduled);
    CHECK(std::ranges::is_sorted(chain.served));
}

TEST_CASE("calendars with events in one cycle are served by number, round after round") {
    Clock clock;
    std::vector<std::unique_ptr<Calendar>> calendars;
    for (int n = 0; n < 70; ++n) calendars.push_back(std::make_unique<Calendar>(clock));
    std::vector<std::uint64_t> served;
    struct Wakes : Actor {
        std::vector<std::uint64_t>& served;
        std::vector<std::unique_ptr<Calendar>>& calendars;
        Wakes(std::vector<std::uint64_t>& s, std::vector<std::unique_ptr<Calendar>>& c) : served(s), calendars(c) {}
        void on_event(std::uint32_t what, std::uint64_t argument) override {
            served.push_back(argument);
            if (what == 1)
                for (const std::uint64_t other : {68U, 3U, 66U, 67U}) calendars[other]->at(9, *this, 0, 100 + other);
        }
    } wakes(served, calendars);
    SECTION("of several events") {
        for (const std::uint64_t n : {69U, 67U, 1U}) calendars[n]->at(9, wakes, n == 67 ? 1 : 0, n);
        clock.run_to(10);
        CHECK(served == std::vector<std::uint64_t>{1, 67, 167, 168, 69, 103, 166});
    }
    SECTION("of an event that is alone at first") {
        calendars[67]->at(9, wakes, 1, 67);
        clock.run_to(10);
        CHECK(served == std::vector<std::uint64_t>{67, 167, 168, 103, 166});
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
