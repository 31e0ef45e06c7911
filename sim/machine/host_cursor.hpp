// The host cursor of a queue: the entry that the host pushes or pops next.
#pragma once

#include <cstdint>

#include "sim/machine/queue_memory.hpp"

namespace ttsim::impl::sim {

class HostCursor {
public:
    explicit HostCursor(QueueMemory& memory) : memory_(&memory) {}

    std::int64_t pushed() const { return pushed_; }    ///< the next entry to push
    std::int64_t room() const;                         ///< entries that can be pushed now
    std::int64_t popped() const;                       ///< the next entry to pop
    std::int64_t ready() const;                        ///< complete entries from popped() on
    std::int64_t popping() const { return popping_; }  ///< all entries below are popped or being popped

    void push(std::int64_t n);                      ///< occupies the slot of entry n
    void pop(std::int64_t n) { popping_ = n + 1; }  ///< the pop of entry n has begun
    void walk(StateWalk& walk, bool popping_matters);

private:
    QueueMemory* memory_;
    std::int64_t pushed_ = 0, popping_ = 0;
};

}  // namespace ttsim::impl::sim
