// Runs long calls without the GIL; Ctrl-C interrupts them.
#pragma once

#include <atomic>
#include <chrono>
#include <future>

#include "python/bindings/bindings.hpp"

namespace tt_python {

/// The stop signal that a session polls. It must outlive the session.
struct Stop {
    std::atomic<int> signal = 0;
};

/// Runs `work` in another thread, without the GIL, and checks for signals meanwhile. If Python turns a signal into an
/// exception (KeyboardInterrupt), the call stops the simulation and then raises the exception.
template <class Work>
auto interruptible(Stop& stop, Work&& work) -> decltype(work()) {
    using namespace std::chrono_literals;
    stop.signal = 0;
    std::future<decltype(work())> done = std::async(std::launch::async, std::forward<Work>(work));
    bool raised = false;
    for (;;) {
        {
            nb::gil_scoped_release release;
            if (done.wait_for(raised ? 24h : 50ms) == std::future_status::ready) break;
        }
        if (!raised && PyErr_CheckSignals() != 0) {
            raised = true;
            stop.signal = 2;
        }
    }
    if (!raised) return done.get();
    try {
        (void)done.get();
    } catch (const ttsim::Error&) {
        // the pending Python exception has the reason
    }
    throw nb::python_error();
}

}  // namespace tt_python
