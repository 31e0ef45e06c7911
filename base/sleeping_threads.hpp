// Threads of a pool that have nothing to do, and who wakes them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace ttsim::impl {

/// At most one woken thread searches for work at a time, and no more threads are awake than processors: a burst of
/// short tasks neither wakes every thread nor makes them take turns on a processor.
///
/// No wakeup is lost. A thread enters the list before it looks for work once more. Who adds work makes it visible
/// before looking for sleepers. Both use sequentially consistent atomics, so that one of the two sees the other.
class SleepingThreads {
public:
    /// `processors`: threads that may be awake at a time, including one that is not of the pool.
    explicit SleepingThreads(unsigned processors) : most_awake_(static_cast<int>(processors)) {}

    /// The first sleep of a worker, which does not count as awake: until wake(nullptr), or until there is work for one
    /// more thread. `stopped`, `has_work`: whether that happened before. True as sleep().
    template <class Stopped, class HasWork>
    bool begin(const Stopped& stopped, const HasWork& has_work) {
        Sleeper me{nullptr};
        std::unique_lock lock(mutex_);
        enter(me);
        lock.unlock();
        const bool stops = stopped(), works = has_work();
        lock.lock();
        const bool may_wake = awake_.load(std::memory_order_seq_cst) < most_awake_;
        return wait(lock, me, stops || (works && may_wake));
    }

    /// Sleeps unless `over()`. `awaited`: what ends the sleep besides new work; null if nothing does. True if woken by
    /// wake_for_work(): the thread is then the one that searches, and calls found_work() or found_none().
    template <class Over>
    bool sleep(const void* awaited, const Over& over) {
        Sleeper me{awaited};
        std::unique_lock lock(mutex_);
        enter(me);
        awake_.fetch_sub(1, std::memory_order_seq_cst);
        lock.unlock();
        const bool stays_awake = over();
        lock.lock();
        return wait(lock, me, stays_awake);
    }

    /// Wakes a thread for work that was just added, if one sleeps and may wake.
    void wake_for_work();
    /// Wakes all threads that wait for `awaited`; null: all threads.
    void wake(const void* awaited);

    void found_none() { searching_.fetch_sub(1, std::memory_order_seq_cst); }
    /// `more`: whether there is more work, for another thread.
    template <class More>
    void found_work(const More& more) {
        found_none();
        if (more()) wake_for_work();
    }

private:
    struct Sleeper {
        const void* awaited;
        Sleeper *older = nullptr, *newer = nullptr;
        std::condition_variable wake{};
        bool woken = false, searches = false;
    };

    // all require the mutex
    void enter(Sleeper& sleeper);
    void leave(Sleeper& sleeper);
    void wake_up(Sleeper& sleeper, bool searches);
    bool wait(std::unique_lock<std::mutex>& lock, Sleeper& sleeper, bool stays_awake);

    int most_awake_;
    std::atomic<int> awake_{1}, searching_{0};
    std::atomic<unsigned> sleeping_{0};
    std::mutex mutex_;
    Sleeper* newest_ = nullptr;
};

}  // namespace ttsim::impl
