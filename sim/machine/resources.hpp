// Parts of a chip that carry bytes one transfer after the other: NoC links, DRAM channels, Ethernet links, PCIe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.hpp"
#include "isa/arch.hpp"
#include "sim/machine/probe.hpp"

namespace tt::sim {

/// One server with a rate. Transfers are served in the order they ask.
class Server {
public:
    explicit Server(double bytes_per_cycle) : rate_{bytes_per_cycle} {}
    /// When a transfer that is ready at `ready` has passed. `slowness` stretches it.
    Cycle pass(Cycle ready, std::uint64_t bytes, double slowness = 1) {
        const auto stretched = static_cast<std::uint64_t>(static_cast<double>(bytes) * slowness);
        const Cycle length = cycles_to_move(Bytes(stretched), rate_).value();
        const Cycle start = ready > free_ ? ready : free_;
        free_ = start + length;
        busy_ += length;
        bytes_ += bytes;
        if (load_) load_->add(start, length, bytes, start - ready);
        return free_;
    }
    void walk(StateWalk& walk) {
        walk.time(free_);
        walk.total(busy_);
        walk.total(bytes_);
    }
    Cycle free_at() const { return free_; }
    Cycle busy() const { return busy_; }
    std::uint64_t bytes() const { return bytes_; }
    void trace(Load* load) { load_ = load; }
    double rate() const { return rate_.value; }

private:
    BytesPerCycle rate_;
    Load* load_ = nullptr;
    Cycle free_ = 0, busy_ = 0;
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
