#include "sim/machine/calendar.hpp"

#include <algorithm>
#include <csignal>

#include "base/error.hpp"

namespace ttsim::impl::sim {

// One cycle is one nanosecond of SystemC time for every chip clock, since the machine counts time in cycles only.
static sc_core::sc_time cycles(Cycle n) { return {static_cast<double>(n), sc_core::SC_NS}; }

void Actor::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) { walk.fixed(argument); }

// --- clock ---------------------------------------------------------------------------------------------------------

Clock::Clock(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Clock);
    SC_METHOD(step);
    sensitive << due_;
    dont_initialize();
}

void Clock::wake_at(Cycle when) {
    wake_ = when;
    due_.cancel();
    due_.notify(cycles(when - now_));
}

/// Ends the run with an error when a signal was received.
void Clock::check_stop() const {
    if (const int signal = stop_ ? stop_->load(std::memory_order_relaxed) : 0; signal != 0)
        throw Error(Fault::Interrupted, {},
                    fmt::format("{} at cycle {}", signal == SIGINT ? "SIGINT" : "SIGTERM", now_));
}

void Clock::run_to(Cycle deadline) {
    if (deadline <= now_ || wake_ == ~Cycle{0}) return;  // SystemC warns of a start with nothing scheduled
    if (deadline == ~Cycle{0}) return sc_core::sc_start();
    const Cycle from = now_;
    const sc_core::sc_time started = sc_core::sc_time_stamp();
    sc_core::sc_start(cycles(deadline - from), sc_core::SC_RUN_TO_TIME);
    // Events advanced now_. The time after the last event is known to SystemC only.
    const auto passed = static_cast<Cycle>((sc_core::sc_time_stamp() - started) / cycles(1));
    if (wake_ != ~Cycle{0}) now_ = std::max(now_, from + passed);
}

void Clock::serve() {
    for (bool any = true; any;) {
        any = false;
        for (Calendar* calendar : calendars_)
            if (calendar->due(now_)) {
                any = true;
                calendar->serve();
            }
    }
    if (between_) between_();
}

void Clock::step() {
    if (failure_.any()) return;
    now_ = wake_;
    serving_ = true;
    try {
        check_stop();
        serve();
    } catch (...) {
        failure_.store();
        return;
    }
    serving_ = false;
    wake_ = ~Cycle{0};
    Cycle next = wake_;
    for (const Calendar* calendar : calendars_)
        if (!calendar->events_.empty()) next = std::min(next, calendar->events_.front().when);
    if (next != wake_) wake_at(next);
}

// --- calendar ------------------------------------------------------------------------------------------------------

Calendar::Calendar(Clock& clock) : clock_(clock) { clock.calendars_.push_back(this); }

void Calendar::at(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument) {
    events_.push_back({when, sequence_++, &actor, argument, what});
    std::push_heap(events_.begin(), events_.end(), std::greater<>{});
    if (!clock_.serving_ && when < clock_.wake_) clock_.wake_at(when);
}

void Calendar::serve() {
    while (due(clock_.now_)) {
        const Event event = events_.front();
        std::pop_heap(events_.begin(), events_.end(), std::greater<>{});
        events_.pop_back();
        event.actor->on_event(event.what, event.argument);
    }
}

void Calendar::walk(StateWalk& walk) {
    // A sorted list is also a heap. The order of equal times is part of the state; sequence numbers are not.
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return b > a; });
    walk.fixed(events_.size());
    for (Event& event : events_) {
        walk.time(event.when);
        walk.fixed(event.actor);
        walk.fixed(event.what);
        event.actor->walk_argument(walk, event.what, event.argument);
    }
}

}  // namespace ttsim::impl::sim
