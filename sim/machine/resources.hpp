// Parts of a chip that carry bytes one transfer after the other: NoC links, DRAM channels, Ethernet links, PCIe.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/units.hpp"
#include "isa/arch.hpp"
#include "sim/machine/probe.hpp"

namespace tt::sim {

/// A part that carries one thing at a time. A transfer takes the free time from when it is ready on, in pieces where
/// others have asked for times between: one whose data comes late leaves the time before to those that are ready now.
class Server {
public:
    /// When a transfer of that length, asked for at `now` and ready at `ready`, has passed.
    Cycle pass(Cycle now, Cycle ready, Cycle length);
    Cycle pass(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes) {
        bytes_ += bytes;
        const Cycle done = pass(now, ready, length);
        if (load_) load_->count(bytes, done - length - ready);
        return done;
    }
    void walk(StateWalk& walk);
    Cycle busy() const { return busy_; }
    std::uint64_t bytes() const { return bytes_; }
    void trace(Load* load) { load_ = load; }

private:
    struct Span {
        Cycle start, end;
    };
    std::deque<Span> taken_;  ///< ascending, apart; those that are over go with the next question
    Load* load_ = nullptr;
    Cycle busy_ = 0;
    std::uint64_t bytes_ = 0;
};

/// The two NoCs of a chip: unidirectional tori. NoC 0 goes right then down, NoC 1 up then left.
/// Cut-through: the head queues at each link it meets, the tail follows a transfer length later. No event per hop.
class Noc {
public:
    explicit Noc(const ChipParams& chip);
    /// Arrival of the last byte of a transfer whose first byte is ready at `ready`.
    Cycle send(int noc, NocCoord from, NocCoord to, std::uint64_t bytes, Cycle ready);
    void walk(StateWalk& walk) {
        for (Cycle& free : free_) walk.time(free);
    }
    Cycle busiest_link() const;
    /// Every link reports to a load of its own from now on.
    void trace(Probe& probe, std::int64_t chip);

private:
    std::size_t link(int noc, int x, int y, bool vertical) const {
        return static_cast<std::size_t>((((noc * grid_y_ + y) * grid_x_) + x) * 2 + (vertical ? 1 : 0));
    }
    int grid_x_, grid_y_;
    Cycle hop_, niu_;
    BytesPerCycle rate_;
    std::vector<Cycle> free_;
    std::vector<Load*> loads_;  // by link(), when traced
};

}  // namespace tt::sim
