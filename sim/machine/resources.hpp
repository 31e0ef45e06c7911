// Parts of a chip that carry bytes one transfer after the other: NoC links, DRAM channels, Ethernet links, PCIe.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/units.hpp"
#include "isa/arch.hpp"
#include "sim/machine/probe.hpp"
#include "sim/noc/topology.hpp"

namespace tt::sim {

/// A part that carries one thing at a time. A transfer takes the free time from when it is ready on, in pieces where
/// others have asked for times between: one whose data comes late leaves the time before to those that are ready now.
class Server {
public:
    /// When a transfer of that length, asked for at `now` and ready at `ready`, has passed.
    Cycle pass(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes = 0);
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

/// The two NoCs of a chip, on the routes of the packet model (sim/noc/topology.hpp). Every link and every tile's port
/// into the NoC is a server: a transfer whose data comes late leaves the time before to those that are ready now.
/// Cut-through: the head passes a port when the port first has time for it, the tail when all of it has passed all
/// ports. No event per hop.
class Noc {
public:
    explicit Noc(const ChipParams& chip);
    /// Arrival of the last byte of a transfer asked for at `now`, whose first byte is ready at `ready`.
    Cycle send(int noc, NocCoord from, NocCoord to, std::uint64_t bytes, Cycle now, Cycle ready);
    void walk(StateWalk& walk);
    /// Every link and NIU port reports to a load of its own from now on.
    void trace(Probe& probe, std::int64_t chip);

private:
    noc::Topology topology_;
    double hop_, niu_;
    double link_bytes_, packet_bytes_;
    std::vector<Server> ports_;  ///< by noc::Port
};

}  // namespace tt::sim
