// Deterministic event calendars behind one SystemC process. Cores, pipes and queues of a chip schedule their events
// here, and the process serves all instants up to a deadline or a pause in one activation. SystemC's own time therefore
// stands still meanwhile; Clock::now() is the time of the machine.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "sim/machine/state_walk.hpp"
#include "sim/systemc/systemc_functions.hpp"

namespace ttsim::impl::sim {

/// Receives scheduled events.
class Actor {
public:
    virtual ~Actor() = default;
    virtual void on_event(std::uint32_t what, std::uint64_t argument) = 0;
    /// Walks the argument of a scheduled event, whose meaning only the actor defines. Default: a fixed value.
    virtual void walk_argument(StateWalk& walk, std::uint32_t what, std::uint64_t& argument);
};

/// Stores the first exception of the process until SystemC has returned. No event is scheduled after it, so the
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
class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    const Cycle& now() const { return now_; }
    const Failure& failure() const { return failure_; }
    /// Cycle of the next event; ~0: none is scheduled.
    Cycle next() const { return wake_; }
    /// Runs until no event is scheduled, `deadline` is reached, or pause() was called; now() is the time reached.
    /// Time does not advance when no event is scheduled.
    void run_to(Cycle deadline);
    /// Ends run_to() after the events of this cycle.
    void pause() { paused_ = true; }
    /// Runs until cycle `then`, also without events.
    void pass_to(Cycle then) {
        run_to(then);
        now_ = std::max(now_, then);
    }
    /// A nonzero value of `*signal` is a signal number and ends the run with Fault::Interrupted.
    void stop_when(const std::atomic<int>* signal) { stop_ = signal; }
    /// The calendar whose event is served now; nullptr between two cycles.
    const Calendar* serving() const { return serving_now_; }
    /// Called after all events of a cycle. The callback may call skip().
    void set_between(std::function<void()> between) { between_ = std::move(between); }
    /// Advances the time without events. Walking the calendars (StateWalk) shifts their events by the same amount, and
    /// the deadline moves with them.
    void skip(Cycle cycles) {
        now_ += cycles;
        if (deadline_ != never) deadline_ += cycles;
    }

private:
    friend class Calendar;
    static constexpr Cycle never = ~Cycle{0};
    void step();
    void serve();
    void check_stop() const;
    Cycle next_event() const;

    std::unique_ptr<SystemcSimulation> simulation_;  // made by the first run
    std::vector<Calendar*> calendars_;
    std::function<void()> between_;
    Failure failure_;
    const std::atomic<int>* stop_ = nullptr;
    Cycle now_ = 0;
    Cycle wake_ = never;  // cycle of the next event while step() does not run
    Cycle deadline_ = never;
    const Calendar* serving_now_ = nullptr;
    bool serving_ = false, paused_ = false;
};

/// The events of one chip: a timing wheel of the next `span` cycles, and a heap of later events.
class Calendar {
public:
    explicit Calendar(Clock& clock);
    Calendar(const Calendar&) = delete;
    Calendar& operator=(const Calendar&) = delete;

    /// Schedules an event at `when`, which is not in the past. Events of one cycle happen in the order of scheduling.
    void at(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument = 0);
    Cycle now() const { return clock_.now(); }
    std::uint64_t events() const { return sequence_; }
    void walk(StateWalk& walk);

private:
    friend class Clock;
    static constexpr std::uint32_t span = 2048, word_bits = 64, none = ~std::uint32_t{0};
    struct Event {
        Cycle when;
        Actor* actor;
        std::uint64_t argument;
        std::uint32_t what;
    };
    struct Node {
        Event event;
        std::uint32_t next;  ///< of a slot, a circle; of free nodes, a list
    };
    struct LaterEvent {
        Event event;
        std::uint64_t sequence;
        friend bool operator>(const LaterEvent& a, const LaterEvent& b) {
            return a.event.when != b.event.when ? a.event.when > b.event.when : a.sequence > b.sequence;
        }
    };
    bool due(Cycle now) const { return next_ <= now; }
    void serve();
    void advance(Cycle now);
    void insert(const Event& event);
    Event take_next();
    Cycle find_next() const;
    std::vector<Event> take_all();

    Clock& clock_;
    std::uint64_t sequence_ = 0;
    Cycle next_ = Clock::never;                           // of the earliest event
    Cycle base_ = 0;                                      // the wheel has the events of [base_, base_ + span)
    std::array<std::uint32_t, span> last_;                // node of the last event of a slot; none: empty
    std::array<std::uint64_t, span / word_bits> used_{};  // a bit for each slot
    std::vector<Node> nodes_;
    std::uint32_t free_ = none;
    std::vector<LaterEvent> later_;  // a heap, the earliest event first
};

}  // namespace ttsim::impl::sim
