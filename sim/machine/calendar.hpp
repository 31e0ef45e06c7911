// Deterministic event calendars behind one SystemC event. Cores, pipes and queues of a chip schedule their events here,
// so that SystemC runs one process per instant instead of one per component.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <systemc>
#include <vector>

#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

/// Receives scheduled events.
class Actor {
public:
    virtual ~Actor() = default;
    virtual void on_event(std::uint32_t what, std::uint64_t argument) = 0;
    /// Walks the argument of a scheduled event, whose meaning only the actor defines. Default: a fixed value.
    virtual void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument);
};

/// Stores the first exception of any process until sc_start() has returned. No event is scheduled after it, so the
/// simulation ends at once.
class Failure {
public:
    void store() {
        if (!first_) first_ = std::current_exception();
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }
    bool any() const { return first_ != nullptr; }

private:
    std::exception_ptr first_;
};

class Calendar;

/// The time of the machine. At each instant the calendars are served in order of construction, repeatedly until none
/// has an event due. The order of events therefore depends only on the contents of the calendars.
class Clock : public sc_core::sc_module {
public:
    explicit Clock(const sc_core::sc_module_name& name);
    const Cycle& now() const { return now_; }
    const Failure& failure() const { return failure_; }
    /// Cycle of the next event; ~0: none is scheduled.
    Cycle next() const { return wake_; }
    /// Runs until no event is scheduled, `deadline` is reached, or sc_pause() was called; now() is the time reached.
    /// Time does not advance when no event is scheduled.
    void run_to(Cycle deadline);
    /// Runs until cycle `then`, also without events.
    void pass_to(Cycle then) {
        run_to(then);
        now_ = std::max(now_, then);
    }
    /// A nonzero value of `*signal` is a signal number and ends the run with Fault::Interrupted.
    void stop_when(const std::atomic<int>* signal) { stop_ = signal; }
    /// Called after all events of a cycle. The callback may call skip().
    void set_between(std::function<void()> between) { between_ = std::move(between); }
    /// Advances the time without events. Walking the calendars (StateWalk) shifts their events by the same amount.
    void skip(Cycle cycles) { now_ += cycles; }

private:
    friend class Calendar;
    void step();
    void serve();
    void wake_at(Cycle when);
    void check_stop() const;

    sc_core::sc_event due_;
    std::vector<Calendar*> calendars_;
    std::function<void()> between_;
    Failure failure_;
    const std::atomic<int>* stop_ = nullptr;
    Cycle now_ = 0;
    Cycle wake_ = ~Cycle{0};  // cycle for which due_ is notified
    bool serving_ = false;
};

class Calendar {
public:
    explicit Calendar(Clock& clock);
    Calendar(const Calendar&) = delete;
    Calendar& operator=(const Calendar&) = delete;

    /// Schedules an event. Events of one cycle happen in the order of scheduling.
    void at(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument = 0);
    Cycle now() const { return clock_.now(); }
    std::uint64_t events() const { return sequence_; }
    void walk(StateWalk& walk);

private:
    friend class Clock;
    struct Event {
        Cycle when;
        std::uint64_t sequence;
        Actor* actor;
        std::uint64_t argument;
        std::uint32_t what;
        friend bool operator>(const Event& a, const Event& b) {
            return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
        }
    };
    bool due(Cycle now) const { return !events_.empty() && events_.front().when <= now; }
    void serve();

    Clock& clock_;
    std::uint64_t sequence_ = 0;
    std::vector<Event> events_;  // a heap, the earliest event first
};

}  // namespace ttsim::impl::sim
