// Deterministic calendars of events behind one SystemC event. Parts with many inner events (cores, pipes, queues of a
// chip) keep them here, so that SystemC schedules one process per instant and not one per part.
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

/// Something that events happen to.
class Actor {
public:
    virtual ~Actor() = default;
    virtual void on_event(std::uint32_t what, std::uint64_t argument) = 0;
    /// Walks the argument of a scheduled event: what it counts, if anything, is known here.
    virtual void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument);
};

/// Keeps the first exception of any process and hands it on after sc_start(). Nothing is scheduled any more then, so
/// the simulation starves at once.
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

/// The time of the machine: wakes the calendars. At one instant they are served in the order in which they were made,
/// round after round until none has anything left, so what happens depends on nothing but their contents.
class Clock : public sc_core::sc_module {
public:
    explicit Clock(const sc_core::sc_module_name& name);
    const Cycle& now() const { return now_; }
    const Failure& failure() const { return failure_; }
    /// When something is scheduled next; ~0: nothing is.
    Cycle next() const { return wake_; }
    /// Goes on until nothing is scheduled, the time is `deadline`, or sc_pause() was called; now() is where it stands.
    /// Time does not pass without events to come.
    void run_to(Cycle deadline);
    /// Goes on until `then`, whether anything happens or not.
    void pass_to(Cycle then) {
        run_to(then);
        now_ = std::max(now_, then);
    }
    /// A value there that is not 0 is a signal's number and ends the run with Fault::Interrupted.
    void stop_when(const std::atomic<int>* signal) { stop_ = signal; }
    /// Called between cycles, when all events of one have happened. It may call skip().
    void set_between(std::function<void()> between) { between_ = std::move(between); }
    /// Time jumps; events keep their distance from it when the calendars are walked (StateWalk).
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
    Cycle wake_ = ~Cycle{0};  // when due_ is notified for
    bool serving_ = false;
};

class Calendar {
public:
    explicit Calendar(Clock& clock);
    Calendar(const Calendar&) = delete;
    Calendar& operator=(const Calendar&) = delete;

    /// Events of one cycle happen in the order they were scheduled.
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
    std::vector<Event> events_;  // a heap, the next one first
};

}  // namespace ttsim::impl::sim
