#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/phase_times.hpp"

namespace ttsim::impl {

namespace {

thread_local bool inside_body = false;  // whether this thread runs a body

/// Hands out the indices in order to free threads.
class Loop {
public:
    Loop(std::size_t n, const std::function<void(std::size_t)>& body) : body_(body), failed_at_(n) {}

    void run() {
        const bool was_inside = std::exchange(inside_body, true);
        // all indices below the first failure were started and will finish
        for (std::size_t i = next_.fetch_add(1); i < failed_at_.load(); i = next_.fetch_add(1)) {
            try {
                body_(i);
            } catch (...) {
                note_failure(i);
            }
        }
        inside_body = was_inside;
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void note_failure(std::size_t i) {
        const std::lock_guard lock(mutex_);
        if (i >= failed_at_.load()) return;
        failed_at_.store(i);
        failure_ = std::current_exception();
    }

    const std::function<void(std::size_t)>& body_;
    std::atomic<std::size_t> next_{0}, failed_at_;
    std::mutex mutex_;
    std::exception_ptr failure_;
};

}  // namespace

unsigned resolve_threads(unsigned wanted) {
    if (wanted != 0) return wanted;
    cpu_set_t usable;
    if (::sched_getaffinity(0, sizeof usable, &usable) == 0)  // fails where there are more than 1024 processors
        return static_cast<unsigned>(std::max(1, CPU_COUNT(&usable)));
    return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(unsigned threads, std::size_t n, const std::function<void(std::size_t)>& body) {
    const UntimedPhases untimed;  // a thread would measure its share only
    Loop loop(n, body);
    std::vector<std::jthread> helpers;
    try {
        if (!inside_body)
            for (std::size_t k = 1; k < std::min<std::size_t>(n, resolve_threads(threads)); ++k)
                helpers.emplace_back([&] { loop.run(); });
    } catch (const std::system_error&) {  // no more threads available: the started ones do the work
    } catch (const std::bad_alloc&) {
    }
    loop.run();
    helpers.clear();  // joins
    loop.rethrow();
}

}  // namespace ttsim::impl
