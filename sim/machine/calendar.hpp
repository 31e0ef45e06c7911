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

/// The time of the machine, and the events of all calendars: a timing wheel with a slot for each few cycles of the
/// present block, one with a slot for each of the next blocks, and a heap of later events. At each instant the
/// calendars are served in order of construction, repeatedly until none has an event due. The order of events therefore
/// depends only on the contents of the calendars.
class Clock {
public:
    Clock() { last_.fill(none), last_of_block_.fill(none); }
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
    /// Called after all events of a cycle. The callback may call skip(). With `needed`, it is called only while that is
    /// set, and every `cycles_between` cycles.
    void set_between(std::function<void()> between, const bool* needed = nullptr) {
        between_ = std::move(between);
        between_needed_ = needed;
    }
    static constexpr std::uint64_t cycles_between = 1024;  ///< a few milliseconds of host time
    /// Whether this is one of the cycles with events between which there are `cycles_between`.
    bool at_interval() const { return cycles_ % cycles_between == 0; }
    /// Walks all scheduled events.
    void walk(StateWalk& walk);
    /// Advances the time without events. Walking them shifts them by the same amount, and the deadline moves with them.
    void skip(Cycle cycles) {
        now_ += cycles;
        if (deadline_ != never) deadline_ += cycles;
    }

private:
    friend class Calendar;
    static constexpr Cycle never = ~Cycle{0};
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t word_bits = 64, slot_bits = 3, block_bits = 14, blocks = word_bits;
    static constexpr std::uint32_t slots = 1U << (block_bits - slot_bits);
    struct Event {
        Cycle when;
        Actor* actor;
        std::uint64_t argument;
        std::uint32_t what, calendar;
    };
    struct LaterEvent {
        Event event;
        std::uint64_t sequence;
        friend bool operator>(const LaterEvent& a, const LaterEvent& b) {
            return a.event.when != b.event.when ? a.event.when > b.event.when : a.sequence > b.sequence;
        }
    };
    void schedule(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument, std::uint32_t calendar);
    void schedule_apart(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument, std::uint32_t calendar);
    std::uint32_t new_node(const Event& event);
    void add_node();
    /// Appends a node to the list whose last node is `last`.
    void append(std::uint32_t& last, std::uint32_t node) {
        std::uint32_t& next = last == none ? next_[node] : next_[last];
        next_[node] = last == none ? node : next;
        next = node;
        last = node;
    }
    void place(std::uint32_t node, Cycle when) {
        if (const std::uint64_t ahead = (when >> block_bits) - block_; ahead == 0)
            place_in_block(node, when);
        else
            place_later(node, ahead);
    }
    static std::uint32_t slot_of(Cycle when) { return static_cast<std::uint32_t>(when >> slot_bits) % slots; }
    void place_in_block(std::uint32_t node, Cycle when) {
        const std::uint32_t slot = slot_of(when);
        std::uint32_t& last = last_[slot];
        first_ = std::min(first_, when);
        if (last != none && events_[last].when > when) return insert(last, node, when);
        used_[slot / word_bits] |= std::uint64_t{1} << slot % word_bits;
        words_used_ |= std::uint64_t{1} << slot / word_bits;
        append(last, node);
    }
    void insert(std::uint32_t last, std::uint32_t node, Cycle when);
    void place_later(std::uint32_t node, std::uint64_t ahead);
    void find_first();
    void enter_block(std::uint64_t number);
    template <class Function>
    void for_each(std::uint32_t last, Function&& function);
    std::uint32_t take_cycle(Cycle when);
    std::uint32_t split(std::uint32_t& last, Cycle when);
    void make_due(std::uint32_t node);
    void make_all_due(std::uint32_t last);
    std::uint32_t next_due(std::uint32_t from) const;
    std::uint32_t serve_event(std::uint32_t node);
    void serve_calendar(std::uint32_t calendar);
    void serve_due(std::uint32_t from);
    void step();
    void serve();
    void check_stop() const;
    Cycle next_event() const;
    Cycle first_in_blocks() const;
    std::vector<Event> take_all();

    std::unique_ptr<SystemcSimulation> simulation_;  // made by the first run
    std::vector<Calendar*> calendars_;
    std::function<void()> between_;
    const bool* between_needed_ = nullptr;
    std::uint64_t cycles_ = 0;  // with events
    Failure failure_;
    const std::atomic<int>* stop_ = nullptr;
    Cycle now_ = 0;
    Cycle wake_ = never;  // cycle of the next event while step() does not run
    Cycle deadline_ = never;
    const Calendar* serving_now_ = nullptr;
    bool serving_ = false, paused_ = false;

    std::vector<Event> events_;        // by node
    std::vector<std::uint32_t> next_;  // by node: of a list of events, a circle; of free nodes, a list
    std::uint32_t free_ = none;
    std::uint64_t block_ = 0;                              // its cycles have slots
    Cycle first_ = never;                                  // cycle of its first event
    std::uint64_t words_used_ = 0;                         // a bit for each word of used_
    std::array<std::uint64_t, slots / word_bits> used_{};  // a bit for each slot
    std::array<std::uint32_t, slots> last_;                // node of a slot's last event, in order of time; none: empty
    std::uint64_t blocks_used_ = 0;                        // a bit for each slot of the next `blocks` - 1 blocks
    std::array<std::uint32_t, blocks> last_of_block_;      // the same of their slots
    std::vector<LaterEvent> later_;                        // a heap, the earliest event first
    std::uint64_t sequence_ = 0;                           // of later events
    std::vector<std::uint32_t> due_;                       // by calendar: node of the last event of this cycle
    std::vector<std::uint64_t> calendars_due_;             // a bit for each calendar
    bool any_due_ = false;                                 // of any calendar
};

/// Schedules the events of one chip, or of the host.
class Calendar {
public:
    explicit Calendar(Clock& clock);
    Calendar(const Calendar&) = delete;
    Calendar& operator=(const Calendar&) = delete;

    /// Schedules an event at `when`, which is not in the past. Events of one cycle happen in the order of scheduling.
    void at(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument = 0) {
        ++events_;
        clock_.schedule(std::max(when, clock_.now_), actor, what, argument, number_);
    }
    Cycle now() const { return clock_.now(); }
    std::uint64_t events() const { return events_; }

private:
    Clock& clock_;
    std::uint32_t number_;
    std::uint64_t events_ = 0;
};

}  // namespace ttsim::impl::sim
