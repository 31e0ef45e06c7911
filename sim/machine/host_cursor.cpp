#include "sim/machine/host_cursor.hpp"

namespace ttsim::impl::sim {

std::int64_t HostCursor::room() const {
    std::int64_t room = 0;
    while (room < memory_->queue().entries && memory_->free_slot(pushed_ + room)) ++room;
    return room;
}

std::int64_t HostCursor::popped() const { return memory_->next_complete(popping_).value_or(popping_); }

std::int64_t HostCursor::ready() const {
    const std::int64_t first = popped();
    return memory_->complete_entries().run_end(first) - first;
}

void HostCursor::push(std::int64_t n) {
    memory_->begin(n);
    pushed_ = n + 1;
}

void HostCursor::walk(StateWalk& walk, bool popping_matters) {
    if (popping_matters) walk.fixed(popping_ - memory_->popped());
    walk.total(popping_);
}

}  // namespace ttsim::impl::sim
