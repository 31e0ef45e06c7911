#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <tuple>
#include <utility>

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

using Served = std::vector<std::pair<Cycle, std::uint64_t>>;  // cycle and number of each event

/// Serves events as the rules say, by searching a list of all.
class Reference {
public:
    Cycle now = 0;
    void at(Cycle when, std::size_t calendar, std::uint64_t number) { events_.push_back({when, calendar, number}); }
    template <class Serve>
    void run_to(Cycle end, Serve&& serve) {
        while (!events_.empty()) {
            const Cycle next = std::ranges::min_element(events_, {}, &Event::when)->when;
            if (next > end) {
                now = end;
                return;
            }
            now = next;
            std::size_t from = 0;
            while (const std::optional<std::size_t> calendar = first_due(from)) {
                while (const auto number = take(*calendar)) serve(*number);
                from = *calendar + 1;
            }
        }
    }

private:
    struct Event {
        Cycle when;
        std::size_t calendar;
        std::uint64_t number;
    };
    /// From `from` on, then from the first calendar on.
    std::optional<std::size_t> first_due(std::size_t from) const {
        std::optional<std::size_t> behind, any;
        for (const Event& event : events_) {
            if (event.when != now) continue;
            if (event.calendar >= from) behind = std::min(event.calendar, behind.value_or(event.calendar));
            any = std::min(event.calendar, any.value_or(event.calendar));
        }
        return behind ? behind : any;
    }
    std::optional<std::uint64_t> take(std::size_t calendar) {
        const auto due = [&](const Event& event) { return event.when == now && event.calendar == calendar; };
        const auto first = std::ranges::find_if(events_, due);
        if (first == events_.end()) return {};
        const std::uint64_t number = first->number;
        events_.erase(first);
        return number;
    }
    std::vector<Event> events_;  // in the order of scheduling
};

/// Each event schedules up to two more, from the same cycle to far beyond all wheels, numbered in that order.
class Chain {
public:
    using Schedule = std::function<void(Cycle, std::size_t, std::uint64_t)>;
    static constexpr std::array<std::size_t, 5> calendars{0, 1, 63, 64, 69};
    static constexpr std::uint64_t events = 5000;
    Chain(std::function<void(Cycle, std::uint64_t)> note, Schedule schedule)
        : note_(std::move(note)), schedule_(std::move(schedule)) {}
    void schedule(Cycle when) { schedule_(when, calendars[random_() % calendars.size()], scheduled_++); }
    void serve(Cycle now, std::uint64_t number) {
        constexpr std::array<Cycle, 10> delays{0, 1, 4, 64, 127, 16'383, 16'384, 1'048'575, 1'048'577, 40'000'000};
        note_(now, number);
        for (int n = 0; n < 2 && scheduled_ < events; ++n)
            schedule(now + delays[random_() % delays.size()] + random_() % 3);
    }

private:
    std::function<void(Cycle, std::uint64_t)> note_;
    Schedule schedule_;
    std::mt19937 random_{11};
    std::uint64_t scheduled_ = 0;
};

auto served_by(Served& list) {
    return [&list](Cycle now, std::uint64_t number) { list.emplace_back(now, number); };
}

template <class RunTo>
void run_chain(Chain& chain, const Cycle& now, RunTo&& run_to) {
    for (Cycle n = 0; n < 20; ++n) chain.schedule(n * 1000);
    run_to(1'000'000);
    chain.schedule(now);  // the wheel may have no event left near the present
    chain.schedule(now + 1);
    run_to(~Cycle{0});
}

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

TEST_CASE("events of all calendars happen in the order of the rules, however far ahead they are scheduled") {
    Served expected, served;
    {
        Reference reference;
        Chain chain(served_by(expected), [&](Cycle when, std::size_t calendar, std::uint64_t number) {
            reference.at(when, calendar, number);
        });
        run_chain(chain, reference.now, [&](Cycle end) {
            reference.run_to(end, [&](std::uint64_t number) { chain.serve(reference.now, number); });
        });
    }
    Clock clock;
    std::vector<std::unique_ptr<Calendar>> calendars;
    for (std::size_t n = 0; n < Chain::calendars.back() + 1; ++n)
        calendars.push_back(std::make_unique<Calendar>(clock));
    struct Serves : Actor {
        Clock& clock;
        Chain* chain = nullptr;
        explicit Serves(Clock& c) : clock(c) {}
        void on_event(std::uint32_t, std::uint64_t number) override { chain->serve(clock.now(), number); }
    } actor(clock);
    Chain chain(served_by(served), [&](Cycle when, std::size_t calendar, std::uint64_t number) {
        calendars[calendar]->at(when, actor, 0, number);
    });
    actor.chain = &chain;
    run_chain(chain, clock.now(), [&](Cycle end) { clock.run_to(end); });
    CHECK(expected.size() >= Chain::events);
    CHECK(served.size() == expected.size());
    const auto differs = std::ranges::mismatch(served, expected);
    INFO("from event " << differs.in1 - served.begin());
    CHECK((differs.in1 == served.end() && differs.in2 == expected.end()));
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

TEST_CASE("what happens between cycles is called after each, or when needed and at intervals") {
    constexpr Cycle cycles = 2 * Clock::cycles_between + 10, wanted = 5;
    struct Idle : Actor {
        void on_event(std::uint32_t, std::uint64_t) override {}
    } idle;
    for (const bool always : {true, false}) {
        Clock clock;
        Calendar calendar(clock);
        for (Cycle n = 0; n < cycles; ++n) calendar.at(3 * n, idle, 0);
        bool needed = false;
        std::vector<Cycle> called;
        const auto between = [&] {
            called.push_back(clock.now() / 3);
            needed = clock.now() / 3 == wanted - 1;
            if (clock.now() / 3 == cycles - 1) clock.pause();
        };
        clock.set_between(between, always ? nullptr : &needed);
        clock.run_to(3 * (wanted - 1));
        needed = true;
        clock.run_to(~Cycle{0});
        if (always)
            CHECK(called.size() == cycles);
        else
            CHECK(called == std::vector<Cycle>{0, wanted, Clock::cycles_between, 2 * Clock::cycles_between});
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
