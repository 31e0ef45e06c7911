#include "sim/machine/queue_memory.hpp"

namespace tt::sim {

bool QueueMemory::free_slot(std::int64_t n) const {
    if (ram()) return true;
    const auto oldest = taken_.lower_bound(popped_);
    return oldest == taken_.end() || n - *oldest < queue_.entries;
}

void QueueMemory::begin(std::int64_t n) {
    if (!ram()) taken_.insert(n);
}

std::optional<std::int64_t> QueueMemory::next_complete(std::int64_t n) const {
    const auto next = complete_.lower_bound(n);
    return next == complete_.end() ? std::nullopt : std::optional(*next);
}

void QueueMemory::set_complete(std::int64_t n) {
    if (!ram()) complete_.insert(n);
    tell();
}

void QueueMemory::set_popped(std::int64_t popped) {
    if (popped == popped_) return;
    popped_ = popped;
    const auto forecast = state_.forecast.queues.find(&queue_);
    const bool rewound = forecast != state_.forecast.queues.end() && forecast->second.rewound;
    if (!rewound) {
        complete_.erase(complete_.begin(), complete_.lower_bound(popped));
        taken_.erase(taken_.begin(), taken_.lower_bound(popped));
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

void QueueMemory::tell() {
    // A user may leave while it is told: walk a copy.
    const std::vector<QueueUser*> now = users_;
    for (QueueUser* user : now) user->queue_changed();
}

}  // namespace tt::sim
