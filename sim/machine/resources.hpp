// Resources of a chip that carry one transfer at a time: NoC links, DRAM channels, Ethernet links, PCIe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "base/units.hpp"
#include "isa/arch.hpp"
#include "sim/machine/probe.hpp"
#include "sim/machine/span_list.hpp"
#include "sim/noc/constants.hpp"
#include "sim/noc/topology.hpp"

namespace ttsim::impl::sim {

/// The reserved time of a resource that serves one transfer at a time. A transfer reserves free time from the cycle in
/// which it is ready, in several pieces when some of that time is reserved. Time before a late transfer stays available
/// to others.
class Reservations {
public:
    /// Reserves `length` cycles for a transfer requested at `now` and ready at `ready`; returns the cycle of its end.
    /// `load` counts the transfer of `bytes`; nullptr: nothing counts it.
    [[gnu::always_inline]] Cycle reserve(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes, Load* load) {
        if (length == 0) return ready;
        if (last_.end <= now || last_.end < ready) {  // nothing is reserved from `ready` on
            if (last_.end > now) keep_last(now);
            last_ = {ready, ready + length};
            if (load) load->add(ready, length, bytes, 0);
            return last_.end;
        }
        if (last_.start > ready) return reserve_between(now, ready, length, bytes, load);
        if (load) load->add(last_.end, length, bytes, last_.end - ready);
        return last_.end += length;  // behind the last transfer
    }
    void walk(StateWalk& walk);

private:
    /// Moves the last span to the list, since another one follows.
    [[gnu::noinline]] void keep_last(Cycle now) {
        if (!earlier_) return keep_first();
        if (!earlier_->empty() && earlier_->back().end <= now) earlier_->clear();
        if (earlier_->full()) return keep_in_full(now);
        earlier_->add(last_);
    }
    void keep_first();
    void keep_in_full(Cycle now);
    void forget(Cycle now);
    Cycle reserve_between(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes, Load* load);
    // Reserved spans are disjoint and do not touch. Most transfers need the last one only. A chip has thousands of
    // these objects, so they are small.
    Span last_{0, 0};                    // end 0: none
    std::unique_ptr<SpanList> earlier_;  // may hold spans that are over
};

/// A DRAM memory, a direction of an Ethernet link or of PCIe.
class Server {
public:
    /// As Reservations::reserve().
    Cycle reserve(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes = 0) {
        if (length == 0 || ideal_) return ready;
        busy_ += length;
        bytes_ += bytes;
        return reserved_.reserve(now, ready, length, bytes, load_);
    }
    void walk(StateWalk& walk);
    Cycle busy() const { return busy_; }
    std::uint64_t bytes() const { return bytes_; }
    void trace(Load* load) { load_ = load; }
    void make_ideal() { ideal_ = true; }  ///< transfers take no time from now on

private:
    Reservations reserved_;
    Cycle busy_ = 0;
    std::uint64_t bytes_ = 0;
    Load* load_ = nullptr;
    bool ideal_ = false;
};

/// Destination of a transfer: one node, or the Tensix nodes of a rectangle (a multicast).
struct NocEnd {
    NocCoord low, high;
    NocEnd(NocCoord tile) : low(tile), high(tile) {}  // implicit: most destinations are one node
    NocEnd(NocCoord lowest, NocCoord highest) : low(lowest), high(highest) {}
    bool many() const { return low.x != high.x || low.y != high.y; }
};

/// The ports on the route of a transfer, or in the tree of a multicast.
std::vector<noc::Port> ports_passed(const noc::Topology& topology, int noc, NocCoord from, NocEnd to);

/// The way of transfers between two ends. Valid as long as its Noc exists.
struct NocPath {
    /// Places in the Noc's list of reservations of the ports on the route or in the tree, then the nodes of source and
    /// target. nullptr: not known.
    const std::uint16_t* places = nullptr;
    std::uint16_t ports = 0;
    std::uint16_t links = 0;  ///< from the source to the target, or to the farthest one of a multicast
    bool multicast = false, from_l1 = false, into_l1 = false;
    bool known() const { return places != nullptr; }
};

/// The two NoCs of a chip, modelled with reservations instead of an event per hop or packet. Routes, packet overhead,
/// NIUs and L1 are those of the packet model (sim/noc). Every link, every port of a NIU and every L1 is reserved.
/// Cut-through: the head passes a port at the first free time, the tail when the whole transfer has passed all ports.
class Noc {
public:
    explicit Noc(const ChipParams& chip);
    NocPath path(int noc, NocCoord from, NocEnd to, std::uint64_t bytes);
    /// Arrival of the last byte of a transfer requested at `now` whose first byte is ready at `ready`.
    Cycle send(const NocPath& path, std::uint64_t bytes, Cycle now, Cycle ready);
    Cycle send(int noc, NocCoord from, NocEnd to, std::uint64_t bytes, Cycle now, Cycle ready) {
        return send(path(noc, from, to, bytes), bytes, now, ready);
    }
    void walk(StateWalk& walk);
    const noc::Constants& constants() const { return constants_; }
    /// From now on every link and NIU port records its load in the probe.
    void trace(Probe& probe, std::int64_t chip);
    void make_ideal() { ideal_ = true; }  ///< a transfer takes only the latency of its first byte

private:
    bool has_l1(noc::Node node) const;
    /// Clocks for which a transfer occupies the resources on its route.
    struct Occupancy {
        Cycle links = 0, source = 0, read = 0, written = 0, slowest = 0;
    };
    const Occupancy& occupancy(bool from_l1, std::uint64_t bytes, bool into_l1);
    Occupancy new_occupancy(bool from_l1, std::uint64_t bytes, bool into_l1) const;
    template <bool counted>
    Cycle send_on_route(const NocPath& path, std::uint64_t bytes, Cycle now, Cycle ready);
    Cycle multicast(const NocPath& path, std::uint64_t bytes, Cycle now, Cycle ready);
    const NocPath& tree(int noc, noc::Node from, NocEnd to);
    using Place = std::uint16_t;
    Place port_place(noc::Port port) const;
    std::size_t l1_place(noc::Node node) const { return 2 * ports_ + node; }
    NocPath new_path(std::span<const noc::Hop> hops, noc::Node source, noc::Node target);
    /// The virtual channel of multicasts, held while the path is reserved.
    Reservations& channel(Place port) { return reserved_[ports_ + port]; }
    void note_use(std::size_t place);

    const noc::Constants& constants_;
    noc::Topology topology_;
    std::size_t ports_;
    Cycle niu_, hop_;
    std::vector<Reservations> reserved_;  ///< of ports, of their multicast channels, of L1s by node
    std::vector<Load*> loads_;            ///< of ports, by place; empty without a trace
    bool ideal_ = false;
    /// Occupancies of the sizes in use, by a hash of their key.
    struct KnownOccupancy {
        std::uint64_t key = 0;  ///< bytes and ends; 0: none
        Occupancy occupancy;
    };
    std::array<KnownOccupancy, 64> occupancies_;
    std::vector<NocPath> routes_;                                                ///< by number of the route
    std::map<std::tuple<int, noc::Node, noc::Node, noc::Node>, NocPath> trees_;  ///< not known: they have no leaves
    std::vector<std::unique_ptr<Place[]>> places_;                               ///< of the paths
    std::vector<bool> noted_;                                                    ///< by place
    std::vector<std::size_t> used_;  ///< places of the routes asked for; the others have no state to walk
    std::size_t noted_routes_ = 0;
};

}  // namespace ttsim::impl::sim
