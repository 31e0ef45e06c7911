// Parts of a chip that carry bytes one transfer after the other: NoC links, DRAM channels, Ethernet links, PCIe.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/units.hpp"
#include "isa/arch.hpp"
#include "sim/machine/probe.hpp"
#include "sim/noc/constants.hpp"
#include "sim/noc/topology.hpp"

namespace ttsim::impl::sim {

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
    void set_free() { free_ = true; }  ///< it takes no time from now on

private:
    struct Span {
        Cycle start, end;
    };
    void forget(Cycle now);
    boost::container::small_vector<Span, 4>
        taken_;  ///< ascending, apart; those that are over go with the next question
    Load* load_ = nullptr;
    bool free_ = false;
    Cycle busy_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Where a transfer ends: at one tile, or at the Tensix tiles of a rectangle (a multicast).
struct NocEnd {
    NocCoord low, high;
    NocEnd(NocCoord tile) : low(tile), high(tile) {}  // most ends are tiles
    NocEnd(NocCoord lowest, NocCoord highest) : low(lowest), high(highest) {}
    bool many() const { return low.x != high.x || low.y != high.y; }
};

/// The ports that a transfer passes: its route's, or those of the tree of a multicast.
std::vector<noc::Port> ports_passed(const noc::Topology& topology, int noc, NocCoord from, NocEnd to);

/// The two NoCs of a chip: routes, packets, interfaces and L1 of the packet model (sim/noc), as reservations. Every
/// link, every tile's port into and out of each NoC and every L1 is a server: a transfer whose data comes late leaves
/// the time before to those that are ready now. Cut-through: the head passes a port when the port first has time for
/// it, the tail when all of it has passed all of them. No event per hop or packet.
class Noc {
public:
    explicit Noc(const ChipParams& chip);
    /// Arrival of the last byte of a transfer asked for at `now`, whose first byte is ready at `ready`.
    Cycle send(int noc, NocCoord from, NocEnd to, std::uint64_t bytes, Cycle now, Cycle ready);
    void walk(StateWalk& walk);
    const noc::Constants& constants() const { return constants_; }
    /// Every link and NIU port reports to a load of its own from now on.
    void trace(Probe& probe, std::int64_t chip);
    void set_free() { free_ = true; }  ///< a transfer takes nothing but the way of its first byte

private:
    bool has_l1(noc::Node node) const;
    bool answers(noc::Node node) const;
    /// Clocks that a transfer takes of the parts it passes.
    struct Load {
        std::uint64_t bytes = 0;
        Cycle links = 0, source = 0, read = 0, written = 0;
        Cycle slowest() const { return std::max({links, source, read, written}); }
    };
    Load load(noc::Node from, std::uint64_t bytes, bool into_l1) const;
    Cycle multicast(const noc::Topology::Tree& tree, noc::Node from, std::uint64_t bytes, Cycle now, Cycle ready);
    const noc::Topology::Tree& tree(int noc, noc::Node from, NocEnd to);

    const noc::Constants& constants_;
    noc::Topology topology_;
    std::vector<Server> ports_;     ///< by noc::Port
    std::vector<Server> channels_;  ///< by noc::Port: the virtual channel of multicasts, which a reserved path keeps
    std::vector<Server> l1_;        ///< by noc::Node
    bool free_ = false;
    std::map<std::tuple<int, noc::Node, noc::Node, noc::Node>, noc::Topology::Tree> trees_;
};

}  // namespace ttsim::impl::sim
