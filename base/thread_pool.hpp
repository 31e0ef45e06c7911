// Runs tasks with dependencies on a fixed number of threads. Results do not depend on the execution order: a task reads
// only what its dependencies wrote.
//
// Each thread has a queue of ready tasks. A worker runs the newest task of its own, whose operands it has just
// computed, and steals the oldest ones of others when it has none. No lock is taken by all threads: a task counts its
// missing dependencies in an atomic counter.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/sleeping_threads.hpp"

namespace ttsim::impl {

class ThreadPool;

/// A copyable handle of a task, created by ThreadPool::submit.
class Task {
public:
    Task() = default;
    bool valid() const { return state_ != nullptr; }
    bool done() const;

    struct State;

private:
    friend class ThreadPool;
    std::shared_ptr<State> state_;
};

class ThreadPool {
public:
    /// `threads` includes the caller: 1 runs everything inside wait() and help(). If the system starts fewer threads
    /// (limits of threads or memory), the started ones do the work.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Runs `work` once all of `after` are done (invalid handles count as done). If memory runs out, throws
    /// std::bad_alloc and adds no task.
    Task submit(std::function<void()> work, std::vector<Task> after = {});
    /// A task that others may depend on before its work is known; start() must follow.
    Task reserve();
    void start(const Task& task, std::function<void()> work, std::vector<Task> after = {});
    /// Runs tasks until `task` is done; rethrows the first exception of any task.
    void wait(const Task& task);
    void wait_all();
    /// The caller runs one ready task; false when none was ready.
    bool help();
    /// Number of unfinished tasks. Callers that submit ahead use it to limit memory.
    std::size_t pending() const { return pending_.load(std::memory_order_relaxed); }
    /// Runs body(i) for i in [0, n), split among the threads; returns when all are done. May be called inside a task.
    void parallel_for(std::size_t n, const std::function<void(std::size_t)>& body);
    unsigned threads() const { return threads_; }  ///< including the caller
    /// Starts no more tasks, and returns when the running ones are done. Later waits throw.
    void abandon() noexcept;

private:
    using State = Task::State;
    struct Place;
    struct Seat;
    void start_workers(unsigned count);
    void worker(std::size_t place);
    void drop_unfinished() noexcept;
    Place& own_place() const;
    State* take();
    bool any_ready() const;
    void make_ready(State* state);
    void run(State* state);
    void finish(State* state);
    template <class Over>
    void work_until(const void* awaited, const Over& over, bool searching = false);
    void wait_until_done(State& state);
    void rethrow_failure();

    unsigned threads_ = 1;
    SleepingThreads sleeping_;
    std::vector<std::unique_ptr<Place>> places_;  // the first one is shared by all threads that are not of the pool
    std::atomic<std::size_t> pending_{0};
    std::atomic<unsigned> waits_for_all_{0};
    std::atomic<bool> stop_{false}, failed_{false};
    std::mutex failure_mutex_, reserved_mutex_;
    std::exception_ptr failure_;
    std::vector<std::shared_ptr<State>> reserved_;  // tasks that may never be started, and done ones until it grows
    std::vector<std::thread> workers_;
};

/// Abandons the pool's tasks if an exception leaves the scope. Declare it after the objects that tasks refer to.
class AbandonOnFailure {
public:
    explicit AbandonOnFailure(ThreadPool& pool) : pool_(pool) {}
    ~AbandonOnFailure() {
        if (std::uncaught_exceptions() > before_) pool_.abandon();
    }
    AbandonOnFailure(const AbandonOnFailure&) = delete;
    AbandonOnFailure& operator=(const AbandonOnFailure&) = delete;

private:
    ThreadPool& pool_;
    int before_ = std::uncaught_exceptions();
};

}  // namespace ttsim::impl
