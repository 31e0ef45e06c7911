#include "base/thread_pool.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>

namespace ttsim::impl {

struct Task::State {
    std::function<void()> work;
    std::vector<std::shared_ptr<State>> followers;      // guarded by the pool's mutex
    std::size_t missing = 0;                            // dependencies not done yet; guarded by the pool's mutex
    std::list<std::shared_ptr<State>>::iterator place;  // in one of the pool's lists, once started
    std::atomic<bool> done{false};
};

bool Task::done() const { return !state_ || state_->done.load(std::memory_order_acquire); }

static constexpr unsigned max_threads = 1024;  // more threads only cost memory

ThreadPool::ThreadPool(unsigned threads) {
    start_workers(std::clamp(threads, 1U, max_threads) - 1);
    threads_ = static_cast<unsigned>(workers_.size()) + 1;
}

/// Starts as many workers as the system allows; no result depends on their number.
void ThreadPool::start_workers(unsigned count) {
    try {
        for (unsigned i = 0; i < count; ++i) workers_.emplace_back([this] { worker(); });
    } catch (const std::system_error&) {  // no thread can be started
    } catch (const std::bad_alloc&) {
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : workers_) thread.join();
    // Tasks that never became ready form reference cycles: a task refers to its followers, and their work to the tasks
    // they wait for.
    for (const std::list<StatePtr>* tasks : {&blocked_, &ready_})
        for (const StatePtr& state : *tasks) {
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
    bool ready = false;
    {
        const std::lock_guard lock(mutex_);
        for (const Task& dependency : after) {  // reserve memory first, so that a failure leaves a consistent state
            if (dependency.done()) continue;
            auto& followers = dependency.state_->followers;
            // a task listed twice in `after` follows twice
            const std::size_t wanted = followers.size() + after.size();
            if (followers.capacity() < wanted) followers.reserve(std::max(wanted, 2 * followers.capacity()));
        }
        task.state_->place = blocked_.insert(blocked_.end(), task.state_);
        task.state_->work = std::move(work);
        pending_.fetch_add(1, std::memory_order_relaxed);
        for (const Task& dependency : after) {
            if (dependency.done()) continue;
            dependency.state_->followers.push_back(task.state_);
            ++task.state_->missing;
        }
        ready = task.state_->missing == 0;
        if (ready) ready_.splice(ready_.end(), blocked_, task.state_->place);
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
        // After a failure no task may use the incomplete results of the failed one.
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
            if (--follower->missing == 0) ready_.splice(ready_.end(), blocked_, follower->place);
        state->followers.clear();
        running_.erase(state->place);
        pending_.fetch_sub(1, std::memory_order_relaxed);
    }
    // Waiters share the condition variable with idle workers, so notify all.
    wake_.notify_all();
}

/// Requires the mutex and a ready task.
ThreadPool::StatePtr ThreadPool::next_ready() {
    StatePtr state = ready_.front();
    running_.splice(running_.end(), ready_, ready_.begin());
    return state;
}

void ThreadPool::worker() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return stop_ || !ready_.empty(); });
        if (ready_.empty()) return;
        const StatePtr state = next_ready();
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
        state = next_ready();
    }
    run(state);
    return true;
}

void ThreadPool::abandon() noexcept {
    failed_.store(true, std::memory_order_relaxed);
    std::unique_lock lock(mutex_);
    if (!failure_) failure_ = std::make_exception_ptr(std::runtime_error("the work was abandoned"));
    wake_.wait(lock, [this] { return running_.empty(); });
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
    const std::size_t wanted = std::min<std::size_t>(threads_, n);
    tasks.reserve(wanted);
    try {
        while (tasks.size() < wanted)
            tasks.push_back(submit([&] {
                for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) body(i);
            }));
    } catch (const std::bad_alloc&) {
        if (tasks.empty()) throw;  // otherwise the submitted tasks do all the work
    }
    for (const Task& task : tasks) {
        // `next` and `body` are local: every task must end before an exception leaves this function.
        while (!task.done()) {
            if (help()) continue;
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return !ready_.empty() || task.done(); });
        }
    }
    rethrow_failure();
}

}  // namespace ttsim::impl
