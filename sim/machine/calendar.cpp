#include "sim/machine/calendar.hpp"

#include <algorithm>
#include <bit>
#include <csignal>

#include "base/error.hpp"

namespace ttsim::impl::sim {

void Actor::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) { walk.fixed(argument); }

// --- clock ---------------------------------------------------------------------------------------------------------

/// Ends the run with an error when a signal was received.
void Clock::check_stop() const {
    if (const int signal = stop_ ? stop_->load(std::memory_order_relaxed) : 0; signal != 0)
        throw Error(Fault::Interrupted, {},
                    fmt::format("{} at cycle {}", signal == SIGINT ? "SIGINT" : "SIGTERM", now_));
}

void Clock::run_to(Cycle deadline) {
    if (deadline <= now_ || wake_ == never) return;  // SystemC warns of a start with nothing scheduled
    deadline_ = deadline;
    paused_ = false;
    if (wake_ <= deadline) {
        if (!simulation_) simulation_ = systemc().make([this] { step(); });
        simulation_->run_after(wake_ - now_);
    }
    const bool reached = !paused_ && !failure_.any() && wake_ != never;
    if (reached) now_ = std::max(now_, deadline);
    deadline_ = never;
}

void Clock::serve() {
    for (bool any = true; any;) {
        any = false;
        for (Calendar* calendar : calendars_)
            if (calendar->due(now_)) {
                any = true;
                serving_now_ = calendar;
                calendar->serve();
            }
    }
    serving_now_ = nullptr;
    if (between_) between_();
}

Cycle Clock::next_event() const {
    Cycle next = never;
    for (const Calendar* calendar : calendars_) next = std::min(next, calendar->next_);
    return next;
}

/// Serves the events of cycle after cycle. Those behind the deadline, or after a pause, wait for the next run_to().
void Clock::step() {
    if (failure_.any()) return;
    serving_ = true;
    try {
        do {
            now_ = wake_;
            check_stop();
            serve();
            wake_ = next_event();
        } while (wake_ != never && wake_ <= deadline_ && !paused_);
    } catch (...) {
        failure_.store();
        return;
    }
    serving_ = false;
}

// --- calendar ------------------------------------------------------------------------------------------------------

Calendar::Calendar(Clock& clock) : clock_(clock) {
    clock.calendars_.push_back(this);
    last_.fill(none);
}

void Calendar::at(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument) {
    ++sequence_;
    if (clock_.now_ > base_) advance(clock_.now_);
    const Event event{std::max(when, clock_.now_), &actor, argument, what};
    if (event.when < base_ + span) {
        insert(event);
    } else {
        later_.push_back({event, sequence_});
        std::push_heap(later_.begin(), later_.end(), std::greater<>{});
    }
    next_ = std::min(next_, event.when);
    if (!clock_.serving_) clock_.wake_ = std::min(clock_.wake_, event.when);
}

/// Moves the wheel to the present. Later events enter it before any other event of their cycle can.
void Calendar::advance(Cycle now) {
    base_ = now;
    while (!later_.empty() && later_.front().event.when < base_ + span) {
        insert(later_.front().event);
        std::pop_heap(later_.begin(), later_.end(), std::greater<>{});
        later_.pop_back();
    }
}

/// Appends an event of the wheel's time to its slot.
void Calendar::insert(const Event& event) {
    const auto slot = static_cast<std::uint32_t>(event.when % span);
    std::uint32_t at = free_;
    if (at == none) {
        at = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
    } else {
        free_ = nodes_[at].next;
    }
    std::uint32_t& last = last_[slot];
    if (last == none) used_[slot / word_bits] |= std::uint64_t{1} << slot % word_bits;
    nodes_[at] = {event, last == none ? at : nodes_[last].next};
    if (last != none) nodes_[last].next = at;
    last = at;
}

/// Removes the earliest event; there is one.
Calendar::Event Calendar::take_next() {
    if (next_ >= base_ + span) advance(next_);
    const auto slot = static_cast<std::uint32_t>(next_ % span);
    std::uint32_t& last = last_[slot];
    const std::uint32_t first = nodes_[last].next;
    const Event event = nodes_[first].event;
    if (first == last) {
        last = none;
        used_[slot / word_bits] &= ~(std::uint64_t{1} << slot % word_bits);
        next_ = find_next();
    } else {
        nodes_[last].next = nodes_[first].next;
    }
    nodes_[first].next = free_;
    free_ = first;
    return event;
}

/// Cycle of the earliest event: that of the first used slot from the present one on, else the first later event.
Cycle Calendar::find_next() const {
    const auto start = static_cast<std::uint32_t>(base_ % span);
    constexpr std::uint32_t words = span / word_bits;
    for (std::uint32_t k = 0; k <= words; ++k) {
        const std::uint32_t word = (start / word_bits + k) % words;
        std::uint64_t bits = used_[word];
        const std::uint64_t from_start = ~std::uint64_t{0} << start % word_bits;
        if (k == 0) bits &= from_start;
        if (k == words) bits &= ~from_start;  // the slots before the present one are the last of the wheel
        if (bits == 0) continue;
        const std::uint32_t slot = word * word_bits + static_cast<std::uint32_t>(std::countr_zero(bits));
        return base_ + (slot + span - start) % span;
    }
    return later_.empty() ? Clock::never : later_.front().event.when;
}

void Calendar::serve() {
    while (due(clock_.now_)) {
        const Event event = take_next();
        event.actor->on_event(event.what, event.argument);
    }
}

/// Removes all events; returns them in their order.
std::vector<Calendar::Event> Calendar::take_all() {
    std::vector<Event> events;
    while (next_ != Clock::never) events.push_back(take_next());
    return events;
}

void Calendar::walk(StateWalk& walk) {
    // The order of equal times is part of the state; sequence numbers are not.
    std::vector<Event> events = take_all();
    walk.fixed(events.size());
    for (Event& event : events) {
        walk.time(event.when);
        walk.fixed(event.actor);
        walk.fixed(event.what);
        event.actor->walk_argument(walk, event.what, event.argument);
    }
    base_ = clock_.now_ + walk.cycles();
    for (const Event& event : events) {
        if (event.when < base_ + span)
            insert(event);
        else
            later_.push_back({event, later_.size()});
        next_ = std::min(next_, event.when);
    }
}

}  // namespace ttsim::impl::sim
