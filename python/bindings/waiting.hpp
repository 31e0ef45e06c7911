// Calls that may take long: without the interpreter's lock, and Ctrl-C ends them.
#pragma once

#include <atomic>
#include <chrono>
#include <future>

#include "python/bindings/bindings.hpp"

namespace tt_python {

/// What a session looks at to be stopped; it lives beside the session.
struct Stop {
    std::atomic<int> signal = 0;
};

/// Does `work` in another thread, where Python is not held up by it, and looks for signals meanwhile. One of them that
/// Python turns into an exception (KeyboardInterrupt) ends the call with it, after the simulation has stopped.
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
        // the exception that Python has already says why
    }
    throw nb::python_error();
}

}  // namespace tt_python
