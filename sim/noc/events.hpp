// The calendar of a NoC simulation: a binary heap of plain events, in the order of time and then of scheduling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ttsim::impl::noc {

/// In AI clock cycles. Fractional, since packets share links at fractional rates.
using Time = double;

struct Event {
    Time time;
    std::uint64_t order;
    std::uint32_t what;  ///< meaning defined by the scheduling code
    std::uint32_t argument;
};

class Events {
public:
    Events() { heap_.reserve(1024); }
    void at(Time time, std::uint32_t what, std::uint32_t argument) {
        heap_.push_back({time, order_++, what, argument});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    bool empty() const { return heap_.empty(); }
    Time next_time() const { return heap_.front().time; }
    Event pop() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const Event event = heap_.back();
        heap_.pop_back();
        return event;
    }
    std::uint64_t scheduled() const { return order_; }

private:
    static bool later(const Event& a, const Event& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }

    std::vector<Event> heap_;
    std::uint64_t order_ = 0;
};

}  // namespace ttsim::impl::noc
