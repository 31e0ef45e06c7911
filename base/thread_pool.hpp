// Tasks with dependencies, worked off by a fixed number of threads. Results never depend on the order in which
// tasks happen to run: a task reads only what its dependencies wrote.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ttsim::impl {

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
    /// `threads` counts the caller: 1 runs everything inside wait() and help(). Where the system starts fewer (limits
    /// of threads or of memory), those that it started work.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Runs `work` once all of `after` are done (invalid handles count as done). Where memory runs out, throws
    /// std::bad_alloc and has no task.
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
    unsigned threads() const { return threads_; }  ///< that work, the caller among them
    /// No task begins any more, and those that have begun are over when this returns. Waiting for one throws from now
    /// on.
    void abandon() noexcept;

private:
    using StatePtr = std::shared_ptr<Task::State>;
    void start_workers(unsigned count);
    void worker();
    StatePtr next_ready();
    void run(const StatePtr& state);
    void rethrow_failure();

    unsigned threads_ = 1;
    std::mutex mutex_;
    std::condition_variable wake_;
    // Started tasks. They move from list to list without memory being taken: a worker could not report its lack.
    std::list<StatePtr> blocked_, ready_, running_;
    std::atomic<std::size_t> pending_{0};
    bool stop_ = false;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    std::vector<std::thread> workers_;
};

/// Where tasks refer to what a frame holds, made behind it: an exception that leaves the frame abandons them first.
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
