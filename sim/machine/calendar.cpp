#include "sim/machine/calendar.hpp"

#include "base/error.hpp"
#include "sim/trace/stop_signals.hpp"

namespace tt::sim {

// One cycle is one nanosecond of SystemC time, whatever the clock of the chip: time is counted in cycles only.
static sc_core::sc_time cycles(Cycle n) { return {static_cast<double>(n), sc_core::SC_NS}; }

Calendar::Calendar(const sc_core::sc_module_name& name, Cycle& now, Failure& failure)
    : sc_module(name), now_(now), failure_(failure) {
    SC_HAS_PROCESS(Calendar);
    SC_METHOD(step);
    sensitive << due_;
    dont_initialize();
}

void Calendar::at(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument) {
    events_.push({when, sequence_++, &actor, argument, what});
    if (when < wake_) wake_at(when);
}

void Calendar::wake_at(Cycle when) {
    wake_ = when;
    due_.cancel();
    due_.notify(cycles(when - now_));
}

/// A signal asked to stop: the run ends as with any other failure.
void Calendar::check_stop() const {
    if (const int signal = StopSignals::caught(); signal != 0)
        throw Error(Fault::Interrupted, {},
                    fmt::format("{} at cycle {}", signal == SIGINT ? "SIGINT" : "SIGTERM", now_));
}

void Calendar::step() {
    if (failure_.any()) return;
    now_ = wake_;
    try {
        check_stop();
        while (!events_.empty() && events_.top().when <= now_) {
            const Event event = events_.top();
            events_.pop();
            event.actor->on_event(event.what, event.argument);
        }
    } catch (...) {
        failure_.store();
        return;
    }
    wake_ = ~Cycle{0};
    if (!events_.empty()) wake_at(events_.top().when);
}

}  // namespace tt::sim
