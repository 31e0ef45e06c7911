#include "base/thread_pool.hpp"

#include <algorithm>

namespace tt {

struct Task::State {
    std::function<void()> work;
    std::vector<std::shared_ptr<State>> followers;      // guarded by the pool's mutex
    std::size_t missing = 0;                            // dependencies not done yet; guarded by the pool's mutex
    std::list<std::shared_ptr<State>>::iterator place;  // in ThreadPool::unfinished_, once started
    std::atomic<bool> done{false};
};

bool Task::done() const { return !state_ || state_->done.load(std::memory_order_acquire); }

static constexpr unsigned most_threads = 1024;  // more take memory and are of no use

ThreadPool::ThreadPool(unsigned threads) : threads_(std::clamp(threads, 1U, most_threads)) {
    for (unsigned i = 1; i < threads_; ++i) workers_.emplace_back([this] { worker(); });
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : workers_) thread.join();
    // Tasks that never became ready hold each other: a task its followers, their work what it waits for.
    for (const StatePtr& state : unfinished_) {
        state->work = nullptr;
        state->followers.clear();
    }
}

Task ThreadPool::reserve() {
    Task task;
    task.state_ = std::make_shared<Task::State>();
    return task;
}

void ThreadPool::start(const Task& task, std::function<void()> work, std::vector<Task> after) {
    pending_.fetch_add(1, std::memory_order_relaxed);
    bool ready = false;
    {
        const std::lock_guard lock(mutex_);
        task.state_->work = std::move(work);
        task.state_->place = unfinished_.insert(unfinished_.end(), task.state_);
        for (const Task& dependency : after) {
            if (dependency.done()) continue;
            dependency.state_->followers.push_back(task.state_);
            ++task.state_->missing;
        }
        ready = task.state_->missing == 0;
        if (ready) ready_.push_back(task.state_);
    }
    if (ready) wake_.notify_one();
}

Task ThreadPool::submit(std::function<void()> work, std::vector<Task> after) {
    Task task = reserve();
    start(task, std::move(work), std::move(after));
    return task;
}

void ThreadPool::run(const StatePtr& state) {
    try {
        // After a failure nothing may run on what the failed task left half done.
        if (!failed_.load(std::memory_order_relaxed)) state->work();
    } catch (...) {
        failed_.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
    }
    state->work = nullptr;  // frees what it captured
    {
        const std::lock_guard lock(mutex_);
        state->done.store(true, std::memory_order_release);
        for (const StatePtr& follower : state->followers)
            if (--follower->missing == 0) ready_.push_back(follower);
        state->followers.clear();
        unfinished_.erase(state->place);
        pending_.fetch_sub(1, std::memory_order_relaxed);
    }
    // Waiters sleep on the same condition as idle workers: all must look again.
    wake_.notify_all();
}

void ThreadPool::worker() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return stop_ || !ready_.empty(); });
        if (ready_.empty()) return;
        const StatePtr state = ready_.front();
        ready_.pop_front();
        lock.unlock();
        run(state);
        lock.lock();
    }
}

bool ThreadPool::help() {
    StatePtr state;
    {
        const std::lock_guard lock(mutex_);
        if (ready_.empty()) return false;
        state = ready_.front();
        ready_.pop_front();
    }
    run(state);
    return true;
}

void ThreadPool::rethrow_failure() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::wait(const Task& task) {
    while (!task.done()) {
        if (help()) continue;
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return !ready_.empty() || task.done(); });
    }
    rethrow_failure();
}

void ThreadPool::wait_all() {
    while (pending() > 0) {
        if (help()) continue;
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return !ready_.empty() || pending() == 0; });
    }
    rethrow_failure();
}

void ThreadPool::parallel_for(std::size_t n, const std::function<void(std::size_t)>& body) {
    if (n == 0) return;
    if (threads_ == 1 || n == 1) {
        for (std::size_t i = 0; i < n; ++i) body(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::vector<Task> tasks;
    for (unsigned k = 0; k < threads_ && k < n; ++k)
        tasks.push_back(submit([&] {
            for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) body(i);
        }));
    for (const Task& task : tasks) {
        // `next` and `body` live in this frame: every task must be over before any failure leaves it.
        while (!task.done()) {
            if (help()) continue;
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return !ready_.empty() || task.done(); });
        }
    }
    rethrow_failure();
}

}  // namespace tt
