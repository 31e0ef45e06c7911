#include "base/thread_pool.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/parallel.hpp"
#include "base/ready_queue.hpp"
#include "base/task_state.hpp"

namespace ttsim::impl {

namespace {

constexpr unsigned max_threads = 1024;  // more threads only cost memory

/// At least two, so that a thread that polls for a result does not keep the only worker asleep.
unsigned threads_awake() { return std::max(2U, resolve_threads(0)); }

}  // namespace

bool Task::done() const { return !state_ || state_->done.load(std::memory_order_acquire); }

/// What a thread writes often, on cache lines of its own.
struct alignas(64) ThreadPool::Place {
    ReadyQueue ready;
    std::atomic<unsigned> running{0};  ///< tasks that its threads are inside of
};

/// Where a worker works.
struct ThreadPool::Seat {
    const ThreadPool* pool;
    std::size_t place;
    static thread_local Seat mine;
};
thread_local ThreadPool::Seat ThreadPool::Seat::mine{nullptr, 0};

ThreadPool::ThreadPool(unsigned threads) : sleeping_(threads_awake()) {
    const unsigned wanted = std::clamp(threads, 1U, max_threads);
    while (places_.size() < wanted) places_.push_back(std::make_unique<Place>());
    start_workers(wanted - 1);
    threads_ = static_cast<unsigned>(workers_.size()) + 1;
}

/// Starts as many workers as the system allows; no result depends on their number.
void ThreadPool::start_workers(unsigned count) {
    try {
        workers_.reserve(count);
        for (unsigned i = 1; i <= count; ++i) workers_.emplace_back([this, i] { worker(i); });
    } catch (const std::system_error&) {  // no thread can be started
    } catch (const std::bad_alloc&) {
    }
}

ThreadPool::~ThreadPool() {
    stop_.store(true, std::memory_order_seq_cst);
    sleeping_.wake(nullptr);
    for (std::thread& thread : workers_) thread.join();
    drop_unfinished();
}

/// Releases tasks that never ran. They form cycles: a task refers to its followers, and their work to the tasks they
/// wait for. Each chain begins with a task that is ready, or that was reserved and never started.
void ThreadPool::drop_unfinished() noexcept {
    failed_.store(true, std::memory_order_relaxed);  // run() then only releases the work
    for (const std::shared_ptr<State>& state : reserved_) {
        if (state->self || state->done.load(std::memory_order_relaxed)) continue;
        pending_.fetch_add(1, std::memory_order_relaxed);
        finish(state.get());
    }
    while (State* const state = take()) run(state);
}

Task ThreadPool::reserve() {
    Task task;
    task.state_ = std::make_shared<State>();
    const std::lock_guard lock(reserved_mutex_);
    if (reserved_.size() == reserved_.capacity())
        std::erase_if(reserved_, [](const auto& state) { return state->done.load(std::memory_order_acquire); });
    if (2 * reserved_.size() > reserved_.capacity()) reserved_.reserve(2 * reserved_.capacity());
    reserved_.push_back(task.state_);
    return task;
}

void ThreadPool::start(const Task& task, std::function<void()> work, std::vector<Task> after) {
    State& state = *task.state_;
    if (!after.empty()) state.edges = std::make_unique<State::Edge[]>(after.size());
    // From here on nothing allocates, so that a failure leaves a consistent state.
    state.work = std::move(work);
    state.self = task.state_;
    pending_.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (after[i].done()) continue;
        state.edges[i].follower = &state;
        state.missing.fetch_add(1, std::memory_order_relaxed);
        if (!after[i].state_->add_follower(state.edges[i])) state.missing.fetch_sub(1, std::memory_order_relaxed);
    }
    if (state.missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    make_ready(&state);
    sleeping_.wake_for_work();
}

Task ThreadPool::submit(std::function<void()> work, std::vector<Task> after) {
    Task task;
    task.state_ = std::make_shared<State>();
    start(task, std::move(work), std::move(after));
    return task;
}

ThreadPool::Place& ThreadPool::own_place() const { return *places_[Seat::mine.pool == this ? Seat::mine.place : 0]; }

bool ThreadPool::any_ready() const {
    return std::ranges::any_of(places_, [](const auto& place) { return !place->ready.empty(); });
}

void ThreadPool::make_ready(State* state) { own_place().ready.push(state); }

/// A ready task, or null. Threads that are not of the pool submit tasks in the order in which results are needed, so
/// they take the oldest.
ThreadPool::State* ThreadPool::take() {
    const std::size_t mine = Seat::mine.pool == this ? Seat::mine.place : 0;
    ReadyQueue& own = places_[mine]->ready;
    if (State* const state = mine == 0 ? own.pop_oldest() : own.pop_newest()) return state;
    std::array<State*, ReadyQueue::most_stolen> stolen{};
    for (std::size_t i = 1; i < places_.size(); ++i) {
        const std::size_t count = places_[(mine + i) % places_.size()]->ready.steal(stolen);
        if (count == 0) continue;
        if (mine == 0)
            for (std::size_t k = 1; k < count; ++k) own.push(stolen[k]);
        else
            for (std::size_t k = count; --k > 0;) own.push(stolen[k]);
        return stolen[0];
    }
    return nullptr;
}

void ThreadPool::run(State* state) {
    Place& place = own_place();
    place.running.fetch_add(1, std::memory_order_seq_cst);
    try {
        // After a failure no task may use the incomplete results of the failed one.
        if (!failed_.load(std::memory_order_seq_cst)) state->work();
    } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
        failed_.store(true, std::memory_order_seq_cst);
    }
    state->work = nullptr;  // frees what it captured
    place.running.fetch_sub(1, std::memory_order_seq_cst);
    if (failed_.load(std::memory_order_seq_cst)) place.running.notify_all();  // of abandon()
    finish(state);
}

void ThreadPool::finish(State* state) {
    const std::shared_ptr<State> keep = std::move(state->self);
    std::size_t became_ready = 0;
    for (State::Edge *edge = state->close(), *next = nullptr; edge; edge = next) {
        next = edge->next;  // the follower may run and vanish once it misses nothing
        if (edge->follower->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        make_ready(edge->follower);
        ++became_ready;
    }
    if (state->waited_for.load(std::memory_order_seq_cst)) sleeping_.wake(state);
    if (pending_.fetch_sub(1, std::memory_order_seq_cst) == 1 && waits_for_all_.load(std::memory_order_seq_cst) > 0)
        sleeping_.wake(&pending_);
    if (became_ready > 1) sleeping_.wake_for_work();  // this thread runs one itself
}

/// Runs tasks until `over()`, and sleeps while there are none. `awaited`: what wakes the thread besides new work.
/// `searching`: the thread was woken by wake_for_work().
template <class Over>
void ThreadPool::work_until(const void* awaited, const Over& over, bool searching) {
    while (!over()) {
        if (State* const state = take()) {
            if (std::exchange(searching, false)) sleeping_.found_work([this] { return any_ready(); });
            run(state);
            continue;
        }
        if (searching) sleeping_.found_none();
        searching = sleeping_.sleep(awaited, [&] { return over() || any_ready(); });
    }
    if (searching) sleeping_.found_none();
    if (any_ready()) sleeping_.wake_for_work();  // what this thread would have run
}

void ThreadPool::worker(std::size_t place) {
    Seat::mine = {this, place};
    const auto stopped = [this] { return stop_.load(std::memory_order_seq_cst); };
    const bool searching = sleeping_.begin(stopped, [this] { return any_ready(); });
    work_until(
        nullptr, [&] { return stopped() && !any_ready(); }, searching);
}

bool ThreadPool::help() {
    State* const state = take();
    if (!state) return false;
    run(state);
    if (any_ready()) sleeping_.wake_for_work();  // run() left one task to this thread, which goes on with other work
    return true;
}

void ThreadPool::abandon() noexcept {
    {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::make_exception_ptr(std::runtime_error("the work was abandoned"));
    }
    failed_.store(true, std::memory_order_seq_cst);
    for (const std::unique_ptr<Place>& place : places_)
        while (const unsigned running = place->running.load(std::memory_order_seq_cst))
            place->running.wait(running, std::memory_order_seq_cst);
}

void ThreadPool::rethrow_failure() {
    if (!failed_.load(std::memory_order_seq_cst)) return;
    const std::lock_guard lock(failure_mutex_);
    if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::wait_until_done(State& state) {
    const auto done = [&state] { return state.done.load(std::memory_order_seq_cst); };
    if (done()) return;
    state.waited_for.store(true, std::memory_order_seq_cst);
    work_until(&state, done);
}

void ThreadPool::wait(const Task& task) {
    if (task.state_) wait_until_done(*task.state_);
    rethrow_failure();
}

void ThreadPool::wait_all() {
    waits_for_all_.fetch_add(1, std::memory_order_seq_cst);
    work_until(&pending_, [this] { return pending_.load(std::memory_order_seq_cst) == 0; });
    waits_for_all_.fetch_sub(1, std::memory_order_seq_cst);
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
    // `next` and `body` are local: every task must end before an exception leaves this function.
    for (const Task& task : tasks) wait_until_done(*task.state_);
    rethrow_failure();
}

}  // namespace ttsim::impl
