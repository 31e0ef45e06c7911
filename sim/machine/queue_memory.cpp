#include "sim/machine/queue_memory.hpp"

namespace ttsim::impl::sim {

bool QueueMemory::free_slot(std::int64_t n) const {
    if (ram()) return true;
    const std::optional<std::int64_t> oldest = taken_.next(popped_);
    return !oldest || n - *oldest < queue_.entries;
}

void QueueMemory::begin(std::int64_t n) {
    if (ram()) return;
    taken_.insert(n);
    if (!state_.live) return;
    // Nothing says whether a program will go back to what was popped: it stays until its slot is taken again.
    const std::int64_t overwritten = n - queue_.entries + 1;
    taken_.erase_below(overwritten);
    complete_.erase_below(overwritten);
    state_.store.forget(queue_, overwritten);
}

std::optional<std::int64_t> QueueMemory::next_complete(std::int64_t n) const { return complete_.next(n); }

void QueueMemory::set_complete(std::int64_t n) {
    if (!ram()) complete_.insert(n);
    tell();
}

void QueueMemory::set_popped(std::int64_t popped) {
    if (popped == popped_) return;
    popped_ = popped;
    if (!state_.may_rewind(queue_)) {
        complete_.erase_below(popped);
        taken_.erase_below(popped);
    }
    state_.forget_popped(queue_, popped);
    tell();
}

void QueueMemory::clear() {
    complete_.clear();
    taken_.clear();
    popped_ = 0;
    tell();
}

void QueueMemory::walk(StateWalk& walk, Moment moment) {
    if (ram()) return;
    if (moment == Moment::Settled && walk.saving()) {
        complete_.save_from(walk, popped_);
        taken_.save_from(walk, popped_);
    }
    // Several runs may join on the way: their bounds do not grow evenly.
    if (moment == Moment::InFlight && (complete_.runs() > 1 || taken_.runs() > 1)) walk.give_up();
    complete_.walk_bounds(walk);
    taken_.walk_bounds(walk);
    walk.total(popped_);
}

void QueueMemory::tell() {
    // A user may leave while it is told: walk a copy.
    const std::vector<QueueUser*> now = users_;
    for (QueueUser* user : now) user->queue_changed();
}

}  // namespace ttsim::impl::sim
