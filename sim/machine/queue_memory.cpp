#include "sim/machine/queue_memory.hpp"

namespace ttsim::impl::sim {

bool QueueMemory::free_slot(std::int64_t n) const {
    if (ram()) return true;
    const std::optional<std::int64_t> oldest = occupied_.next(popped_);
    return !oldest || n - *oldest < queue_.entries;
}

void QueueMemory::begin(std::int64_t n) {
    if (ram()) return;
    occupied_.insert(n);
    if (!state_.live) return;
    // A later program may rewind to popped entries, so each is kept until its slot is reused.
    const std::int64_t overwritten = n - queue_.entries + 1;
    occupied_.erase_below(overwritten);
    complete_.erase_below(overwritten);
    state_.store.forget(queue_, overwritten);
}

std::optional<std::int64_t> QueueMemory::next_complete(std::int64_t n) const { return complete_.next(n); }

void QueueMemory::set_complete(std::int64_t n) {
    if (!ram()) complete_.insert(n);
    notify_users();
}

void QueueMemory::set_popped(std::int64_t popped) {
    if (popped == popped_) return;
    popped_ = popped;
    if (!state_.may_rewind(queue_)) {
        complete_.erase_below(popped);
        occupied_.erase_below(popped);
    }
    state_.forget_popped(queue_, popped);
    notify_users();
}

void QueueMemory::clear() {
    complete_.clear();
    occupied_.clear();
    popped_ = 0;
    notify_users();
}

void QueueMemory::walk(StateWalk& walk) {
    if (ram()) return;
    if (walk.over_iterations() && walk.saving()) {
        complete_.save_from(walk, popped_);
        occupied_.save_from(walk, popped_);
    }
    // Several intervals may merge within a period, so their bounds do not grow linearly.
    if (!walk.over_iterations() && (complete_.runs() > 1 || occupied_.runs() > 1)) walk.mark_incomparable();
    complete_.walk_bounds(walk);
    occupied_.walk_bounds(walk);
    walk.total(popped_);
}

void QueueMemory::notify_users() {
    // A user may unsubscribe during its notification, so iterate over a copy.
    const std::vector<QueueUser*> now = users_;
    for (QueueUser* user : now) user->queue_changed();
}

}  // namespace ttsim::impl::sim
