// Tasks that can run now, of one thread. Its lock is met by the thread itself and by those that steal from it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>

#include "base/task_state.hpp"

namespace ttsim::impl {

/// A list through the tasks themselves: no operation allocates memory.
class ReadyQueue {
public:
    using State = Task::State;
    static constexpr std::size_t most_stolen = 8;

    /// Safe at any time. Sequentially consistent, as SleepingThreads requires.
    bool empty() const { return size_.load(std::memory_order_seq_cst) == 0; }

    void push(State* state) {
        const std::lock_guard lock(mutex_);
        state->older = newest_;
        state->newer = nullptr;
        (newest_ ? newest_->newer : oldest_) = state;
        newest_ = state;
        resize(1);
    }

    /// Null if the queue is empty.
    State* pop_newest() {
        if (empty()) return nullptr;
        const std::lock_guard lock(mutex_);
        State* const state = newest_;
        if (!state) return nullptr;
        newest_ = state->older;
        (newest_ ? newest_->newer : oldest_) = nullptr;
        resize(-1);
        return state;
    }

    /// Null if the queue is empty.
    State* pop_oldest() {
        if (empty()) return nullptr;
        const std::lock_guard lock(mutex_);
        return take_oldest();
    }

    /// Takes the older half, oldest first. Returns their number.
    std::size_t steal(std::span<State*, most_stolen> to) {
        if (empty()) return 0;
        const std::lock_guard lock(mutex_);
        const std::size_t wanted = std::min((size_.load(std::memory_order_relaxed) + 1) / 2, to.size());
        for (std::size_t i = 0; i < wanted; ++i) to[i] = take_oldest();
        return wanted;
    }

private:
    State* take_oldest() {
        State* const state = oldest_;
        if (!state) return nullptr;
        oldest_ = state->newer;
        (oldest_ ? oldest_->older : newest_) = nullptr;
        resize(-1);
        return state;
    }
    void resize(int change) { size_.fetch_add(static_cast<std::size_t>(change), std::memory_order_seq_cst); }

    std::mutex mutex_;
    State *oldest_ = nullptr, *newest_ = nullptr;
    std::atomic<std::size_t> size_{0};
};

}  // namespace ttsim::impl
