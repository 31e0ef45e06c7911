// A deterministic calendar of events behind one SystemC event. Parts with many inner events (cores, pipes, queues of a
// chip) keep them here, so that SystemC schedules one process per chip and instant.
#pragma once

#include <cstdint>
#include <exception>
#include <queue>
#include <systemc>
#include <vector>

namespace tt::sim {

using Cycle = std::uint64_t;

/// Something that events happen to.
class Actor {
public:
    virtual ~Actor() = default;
    virtual void on_event(std::uint32_t what, std::uint64_t argument) = 0;
};

/// Keeps the first exception of any process and hands it on after sc_start(). Calendars then schedule nothing more,
/// so the simulation starves at once.
class Failure {
public:
    void store() {
        if (!first_) first_ = std::current_exception();
    }
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }
    bool any() const { return first_ != nullptr; }

private:
    std::exception_ptr first_;
};

class Calendar : public sc_core::sc_module {
public:
    Calendar(const sc_core::sc_module_name& name, Cycle& now, Failure& failure);

    /// Events of one cycle happen in the order they were scheduled.
    void at(Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument = 0);
    Cycle now() const { return now_; }
    std::uint64_t events() const { return sequence_; }

private:
    struct Event {
        Cycle when;
        std::uint64_t sequence;
        Actor* actor;
        std::uint64_t argument;
        std::uint32_t what;
        friend bool operator>(const Event& a, const Event& b) {
            return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
        }
    };
    void step();
    void wake_at(Cycle when);
    void check_stop() const;

    sc_core::sc_event due_;
    Cycle& now_;  // of the whole machine, in cycles
    Failure& failure_;
    Cycle wake_ = ~Cycle{0};  // when due_ is notified for
    std::uint64_t sequence_ = 0;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace tt::sim
