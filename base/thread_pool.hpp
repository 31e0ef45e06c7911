// Tasks with dependencies, worked off by a fixed number of threads. Results never depend on the order in which
// tasks happen to run: a task reads only what its dependencies wrote.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tt {

class ThreadPool;

/// A piece of work others can wait for. Made by ThreadPool::submit; copyable handle.
class Task {
public:
    Task() = default;
    bool valid() const { return state_ != nullptr; }
    bool done() const;

private:
    friend class ThreadPool;
    struct State;
    std::shared_ptr<State> state_;
};

class ThreadPool {
public:
    /// `threads` counts the caller: 1 runs everything inside wait() and help().
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Runs `work` once all of `after` are done (invalid handles count as done).
    Task submit(std::function<void()> work, std::vector<Task> after = {});
    /// A task others may already depend on, whose work is not known yet; start() must follow.
    Task reserve();
    void start(const Task& task, std::function<void()> work, std::vector<Task> after = {});
    /// Works off tasks until `task` is done; rethrows the first exception of any task.
    void wait(const Task& task);
    void wait_all();
    /// The caller runs one ready task; false when none was ready.
    bool help();
    /// Tasks submitted and not finished: callers that run ahead keep this bounded.
    std::size_t pending() const { return pending_.load(std::memory_order_relaxed); }
    /// body(i) for i in [0, n), split among the threads; returns when all are done. Safe inside a task.
    void parallel_for(std::size_t n, const std::function<void(std::size_t)>& body);
    unsigned threads() const { return threads_; }

private:
    using StatePtr = std::shared_ptr<Task::State>;
    void worker();
    void run(const StatePtr& state);
    void rethrow_failure();

    unsigned threads_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<StatePtr> ready_;
    std::list<StatePtr> unfinished_;  // started
    std::atomic<std::size_t> pending_{0};
    bool stop_ = false;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    std::vector<std::thread> workers_;
};

}  // namespace tt
