#include "sim/machine/calendar.hpp"

#include <algorithm>
#include <bit>
#include <csignal>
#include <utility>

#include "base/error.hpp"

namespace ttsim::impl::sim {

void Actor::walk_argument(StateWalk& walk, std::uint32_t, std::uint64_t& argument) { walk.fixed(argument); }

// --- clock ---------------------------------------------------------------------------------------------------------

/// Ends the run with an error when a signal was received.
inline void Clock::check_stop() const {
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

/// Serves the events of one cycle after the other. Those behind the deadline, or after a pause, wait for the next
/// run_to().
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

/// Calls the function with each node of a list, which may put it into another one.
template <class Function>
void Clock::for_each(std::uint32_t last, Function&& function) {
    std::uint32_t node = next_[last];
    for (bool more = true; more;) {
        const std::uint32_t next = next_[node];
        more = node != last;
        function(node);
        node = next;
    }
}

inline void Clock::serve() {
    std::uint32_t from = 0;
    if (const std::uint32_t last = take_cycle(now_); last != none) {
        find_first();
        if (next_[last] == last)  // most events are alone in their cycle
            from = serve_event(last);
        else
            make_all_due(last);
    }
    if (any_due_) serve_due(from);
    serving_now_ = nullptr;
    if ((!between_needed_ || *between_needed_ || at_interval()) && between_) between_();
    ++cycles_;
}

void Clock::serve_due(std::uint32_t from) {
    while ((from = next_due(from)) != none || (from = next_due(0)) != none) serve_calendar(from++);
    any_due_ = false;
}

/// Returns the calendar of the event.
inline std::uint32_t Clock::serve_event(std::uint32_t node) {
    const Event event = events_[node];
    next_[node] = free_;
    free_ = node;
    serving_now_ = calendars_[event.calendar];
    event.actor->on_event(event.what, event.argument);
    return event.calendar;
}

void Clock::serve_calendar(std::uint32_t calendar) {
    while (due_[calendar] != none) {
        std::uint32_t& last = due_[calendar];
        const std::uint32_t first = next_[last];
        if (first == last)
            last = none;
        else
            next_[last] = next_[first];
        serve_event(first);
    }
    calendars_due_[calendar / word_bits] &= ~(std::uint64_t{1} << calendar % word_bits);
}

/// The first calendar from `from` on with an event due; none: there is none.
std::uint32_t Clock::next_due(std::uint32_t from) const {
    std::uint64_t mask = ~std::uint64_t{0} << from % word_bits;
    for (std::size_t word = from / word_bits; word < calendars_due_.size(); ++word, mask = ~std::uint64_t{0})
        if (const std::uint64_t bits = calendars_due_[word] & mask; bits != 0)
            return static_cast<std::uint32_t>(word * word_bits) + static_cast<std::uint32_t>(std::countr_zero(bits));
    return none;
}

// --- wheels --------------------------------------------------------------------------------------------------------

void Clock::schedule(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument, std::uint32_t calendar) {
    if (free_ == none || !serving_ || when == now_) return schedule_apart(when, actor, what, argument, calendar);
    place(new_node({when, &actor, argument, what, calendar}), when);
}

/// An event for this cycle, or when none is served, or without a free node.
void Clock::schedule_apart(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument,
                           std::uint32_t calendar) {
    if (free_ == none) add_node();
    const std::uint32_t node = new_node({when, &actor, argument, what, calendar});
    if (serving_ && when == now_) return make_due(node);
    place(node, when);
    if (!serving_) wake_ = std::min(wake_, when);
}

/// There must be a free node.
inline std::uint32_t Clock::new_node(const Event& event) {
    const std::uint32_t node = free_;
    free_ = next_[node];
    events_[node] = event;
    return node;
}

void Clock::add_node() {
    free_ = static_cast<std::uint32_t>(next_.size());
    events_.emplace_back();
    next_.push_back(none);
}

void Clock::place_later(std::uint32_t node, std::uint64_t ahead) {
    if (ahead < blocks) {
        const auto slot = (block_ + ahead) % blocks;
        blocks_used_ |= std::uint64_t{1} << slot;
        append(last_of_block_[slot], node);
    } else {
        later_.push_back({events_[node], ++sequence_});
        std::push_heap(later_.begin(), later_.end(), std::greater<>{});
        next_[node] = free_;
        free_ = node;
    }
}

/// Finds the first event of the present block, and loads its actor, which is rarely in the nearest cache, while the
/// events of this cycle happen.
inline void Clock::find_first() {
    first_ = never;
    if (words_used_ == 0) return;
    const auto word = static_cast<std::uint32_t>(std::countr_zero(words_used_));
    const auto slot = word * word_bits + static_cast<std::uint32_t>(std::countr_zero(used_[word]));
    const Event& event = events_[next_[last_[slot]]];
    first_ = event.when;
    constexpr std::size_t line = 64, lines = 4;
    const char* const actor = reinterpret_cast<const char*>(event.actor);
    for (std::size_t n = 0; n < lines; ++n) __builtin_prefetch(actor + n * line);
}

/// Moves the wheels on to a block. Nothing is scheduled before it. Later events enter the wheels before any other event
/// of their cycle can.
void Clock::enter_block(std::uint64_t number) {
    block_ = number;
    const auto slot = number % blocks;
    if (const std::uint32_t last = std::exchange(last_of_block_[slot], none); last != none) {
        blocks_used_ &= ~(std::uint64_t{1} << slot);
        for_each(last, [this](std::uint32_t node) { place(node, events_[node].when); });
    }
    while (!later_.empty() && (later_.front().event.when >> block_bits) - block_ < blocks) {
        if (free_ == none) add_node();
        place(new_node(later_.front().event), later_.front().event.when);
        std::pop_heap(later_.begin(), later_.end(), std::greater<>{});
        later_.pop_back();
    }
}

/// Puts an event before the later ones of its slot.
void Clock::insert(std::uint32_t last, std::uint32_t node, Cycle when) {
    std::uint32_t before = last;
    while (events_[next_[before]].when <= when) before = next_[before];
    next_[node] = next_[before];
    next_[before] = node;
}

/// Removes the events of a cycle from the list of a slot that has later ones; returns the last one removed.
std::uint32_t Clock::split(std::uint32_t& last, Cycle when) {
    const std::uint32_t first = next_[last];
    if (events_[first].when != when) return none;
    std::uint32_t end = first;
    while (events_[next_[end]].when == when) end = next_[end];
    next_[last] = next_[end];
    next_[end] = first;
    return end;
}

/// Removes the list of a cycle's events; returns its last node.
inline std::uint32_t Clock::take_cycle(Cycle when) {
    if (when >> block_bits != block_) enter_block(when >> block_bits);
    const std::uint32_t slot = slot_of(when);
    const std::uint32_t last = last_[slot];
    if (last == none) return none;
    if (events_[last].when != when) return split(last_[slot], when);
    last_[slot] = none;
    std::uint64_t& word = used_[slot / word_bits];
    word &= ~(std::uint64_t{1} << slot % word_bits);
    if (word == 0) words_used_ &= ~(std::uint64_t{1} << slot / word_bits);
    return last;
}

void Clock::make_due(std::uint32_t node) {
    const std::uint32_t calendar = events_[node].calendar;
    calendars_due_[calendar / word_bits] |= std::uint64_t{1} << calendar % word_bits;
    any_due_ = true;
    append(due_[calendar], node);
}

/// The events of a cycle's slot, at its beginning. Most are of one calendar, which takes over their list.
void Clock::make_all_due(std::uint32_t last) {
    const std::uint32_t calendar = events_[last].calendar;
    std::uint32_t node = next_[last];
    while (node != last && events_[node].calendar == calendar) node = next_[node];
    if (any_due_ || node != last) return for_each(last, [this](std::uint32_t each) { make_due(each); });
    calendars_due_[calendar / word_bits] |= std::uint64_t{1} << calendar % word_bits;
    any_due_ = true;
    due_[calendar] = last;
}

/// Cycle of the earliest event.
inline Cycle Clock::next_event() const {
    if (any_due_) return now_;
    return first_ != never ? first_ : first_in_blocks();
}

/// The same when the present block has no events.
Cycle Clock::first_in_blocks() const {
    if (blocks_used_ != 0) {
        const std::uint64_t from = block_ + 1;
        const int ahead = std::countr_zero(std::rotr(blocks_used_, static_cast<int>(from % blocks)));
        const std::uint32_t last = last_of_block_[(from + static_cast<std::uint64_t>(ahead)) % blocks];
        Cycle first = events_[last].when;
        for (std::uint32_t node = next_[last]; node != last; node = next_[node])
            first = std::min(first, events_[node].when);
        return first;
    }
    return later_.empty() ? never : later_.front().event.when;
}

/// Removes all events; returns them by calendar, each in their order.
std::vector<Clock::Event> Clock::take_all() {
    std::vector<Event> events;
    const auto take = [&](std::uint32_t& last) {
        if (last == none) return;
        for_each(last, [&](std::uint32_t node) { events.push_back(events_[node]); });
        last = none;
    };
    for (std::uint32_t& last : due_) take(last);
    for (std::uint32_t word = 0; word < used_.size(); ++word)
        for (std::uint64_t bits = std::exchange(used_[word], 0); bits != 0; bits &= bits - 1)
            take(last_[word * word_bits + static_cast<std::uint32_t>(std::countr_zero(bits))]);
    for (std::uint64_t n = 1; n < blocks; ++n) take(last_of_block_[(block_ + n) % blocks]);
    std::ranges::sort(later_, [](const LaterEvent& a, const LaterEvent& b) { return b > a; });
    for (const LaterEvent& later : later_) events.push_back(later.event);
    later_.clear();
    events_.clear();
    next_.clear();
    free_ = none;
    words_used_ = 0;
    first_ = never;
    blocks_used_ = 0;
    std::ranges::fill(calendars_due_, 0);
    any_due_ = false;
    std::ranges::stable_sort(events, [](const Event& a, const Event& b) {
        return a.calendar != b.calendar ? a.calendar < b.calendar : a.when < b.when;
    });
    return events;
}

void Clock::walk(StateWalk& walk) {
    // The order of equal times is part of the state.
    std::vector<Event> events = take_all();
    walk.fixed(events.size());
    for (Event& event : events) {
        walk.fixed(event.calendar);
        walk.time(event.when);
        walk.fixed(event.actor);
        walk.fixed(event.what);
        event.actor->walk_argument(walk, event.what, event.argument);
    }
    const Cycle then = now_ + walk.cycles();
    block_ = then >> block_bits;
    for (const Event& event : events) {
        if (free_ == none) add_node();
        const std::uint32_t node = new_node(event);
        if (serving_now_ && event.when == then)
            make_due(node);
        else
            place(node, event.when);
    }
}

// --- calendar ------------------------------------------------------------------------------------------------------

Calendar::Calendar(Clock& clock) : clock_(clock), number_(static_cast<std::uint32_t>(clock.calendars_.size())) {
    clock.calendars_.push_back(this);
    clock.due_.push_back(Clock::none);
    clock.calendars_due_.resize(number_ / Clock::word_bits + 1);
}

}  // namespace ttsim::impl::sim
