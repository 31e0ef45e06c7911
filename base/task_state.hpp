// The inside of a task, for the thread pool alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/thread_pool.hpp"

namespace ttsim::impl {

/// A started task owns itself until it has run, so that no list of all tasks is needed.
struct Task::State {
    /// An entry in the list of followers of one dependency. The follower owns the memory.
    struct Edge {
        State* follower = nullptr;
        Edge* next = nullptr;
    };

    std::function<void()> work;
    std::shared_ptr<State> self;            ///< from start() until the task has run
    std::unique_ptr<Edge[]> edges;          ///< one for each dependency
    std::atomic<Edge*> followers{nullptr};  ///< newest first; closed_list() once the task is done
    std::atomic<std::size_t> missing{1};    ///< dependencies not done yet, plus one until start() is over
    std::atomic<bool> done{false};
    std::atomic<bool> waited_for{false};       ///< a thread may sleep until this task is done
    State *older = nullptr, *newer = nullptr;  ///< neighbours in a ReadyQueue

    static Edge* closed_list() {
        static Edge none;
        return &none;
    }

    /// Adds `edge`, unless the task is done.
    bool add_follower(Edge& edge) {
        Edge* first = followers.load(std::memory_order_acquire);
        do {
            if (first == closed_list()) return false;
            edge.next = first;
        } while (!followers.compare_exchange_weak(first, &edge, std::memory_order_release, std::memory_order_acquire));
        return true;
    }

    /// Marks the task as done and returns its followers, oldest first.
    Edge* close() {
        done.store(true, std::memory_order_seq_cst);
        Edge* newest = followers.exchange(closed_list(), std::memory_order_acq_rel);
        Edge* oldest = nullptr;
        while (newest) {
            Edge* const next = newest->next;
            newest->next = oldest;
            oldest = newest;
            newest = next;
        }
        return oldest;
    }
};

}  // namespace ttsim::impl
