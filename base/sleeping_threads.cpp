#include "base/sleeping_threads.hpp"

namespace ttsim::impl {

void SleepingThreads::enter(Sleeper& sleeper) {
    sleeper.older = newest_;
    if (newest_) newest_->newer = &sleeper;
    newest_ = &sleeper;
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
}

void SleepingThreads::leave(Sleeper& sleeper) {
    if (sleeper.older) sleeper.older->newer = sleeper.newer;
    (sleeper.newer ? sleeper.newer->older : newest_) = sleeper.older;
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    awake_.fetch_add(1, std::memory_order_seq_cst);
}

void SleepingThreads::wake_up(Sleeper& sleeper, bool searches) {
    leave(sleeper);
    sleeper.woken = true;
    sleeper.searches = searches;
    sleeper.wake.notify_one();  // with the mutex held: the sleeper cannot end before
}

/// Waits to be woken, unless the thread stays awake. True as sleep().
bool SleepingThreads::wait(std::unique_lock<std::mutex>& lock, Sleeper& sleeper, bool stays_awake) {
    if (stays_awake && !sleeper.woken)
        leave(sleeper);
    else
        sleeper.wake.wait(lock, [&] { return sleeper.woken; });
    return sleeper.searches;
}

void SleepingThreads::wake_for_work() {
    const auto useless = [&] {
        return sleeping_.load(std::memory_order_seq_cst) == 0 || searching_.load(std::memory_order_seq_cst) != 0 ||
               awake_.load(std::memory_order_seq_cst) >= most_awake_;
    };
    if (useless()) return;
    const std::lock_guard lock(mutex_);
    if (useless()) return;
    searching_.fetch_add(1, std::memory_order_seq_cst);
    wake_up(*newest_, true);  // its caches are the warmest
}

void SleepingThreads::wake(const void* awaited) {
    const std::lock_guard lock(mutex_);
    for (Sleeper *sleeper = newest_, *older = nullptr; sleeper; sleeper = older) {
        older = sleeper->older;
        if (!awaited || sleeper->awaited == awaited) wake_up(*sleeper, false);
    }
}

}  // namespace ttsim::impl
