// Resources of a chip that carry one transfer at a time: NoC links, DRAM channels, Ethernet links, PCIe.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "isa/arch.hpp"
#include "sim/machine/probe.hpp"
#include "sim/noc/constants.hpp"
#include "sim/noc/topology.hpp"

namespace ttsim::impl::sim {

/// A resource that serves one transfer at a time. A transfer reserves free time from the cycle in which it is ready, in
/// several pieces when some of that time is reserved. Time before a late transfer stays available to others.
class Server {
public:
    /// Marks it; returns whether this is the first time.
    bool note() { return !std::exchange(noted_, true); }
    /// Reserves `length` cycles for a transfer requested at `now` and ready at `ready`; returns the cycle of its end.
    Cycle reserve(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes = 0) {
        forget(now);
        if (length == 0 || ideal_) return ready;
        busy_ += length;
        bytes_ += bytes;
        if (load_) return reserve_and_count(ready, length, bytes);
        if (reserved_.empty() || reserved_.back().end < ready) {  // nothing is reserved from `ready` on
            reserved_.push_back({ready, ready + length});
            return ready + length;
        }
        const std::size_t last = reserved_.size() - 1;
        if (reserved_[last].start > ready || (last > past_ && reserved_[last - 1].end >= ready))
            return reserve_between(ready, length);
        return reserved_[last].end += length;  // behind the last transfer
    }
    void walk(StateWalk& walk);
    Cycle busy() const { return busy_; }
    std::uint64_t bytes() const { return bytes_; }
    void trace(Load* load) { load_ = load; }
    void make_ideal() { ideal_ = true; }  ///< transfers take no time from now on

private:
    struct Span {
        Cycle start, end;
    };
    void forget(Cycle now) {
        while (past_ < reserved_.size() && reserved_[past_].end <= now) ++past_;
        if (past_ > 0 && (past_ == reserved_.size() || past_ >= longest_past)) remove_past();
    }
    void remove_past();
    Cycle reserve_between(Cycle ready, Cycle length);
    Cycle reserve_and_count(Cycle ready, Cycle length, std::uint64_t bytes);
    static constexpr std::uint32_t longest_past = 4;
    boost::container::small_vector<Span, 4> reserved_;  ///< ascending, disjoint; the first `past_` are over
    std::uint32_t past_ = 0;
    bool noted_ = false;  ///< Noc walks it
    Load* load_ = nullptr;
    bool ideal_ = false;
    Cycle busy_ = 0;
    std::uint64_t bytes_ = 0;
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

/// The two NoCs of a chip, modelled with reservations instead of an event per hop or packet. Routes, packet overhead,
/// NIUs and L1 are those of the packet model (sim/noc). Every link, every port of a NIU and every L1 is a server.
/// Cut-through: the head passes a port at the first free time, the tail when the whole transfer has passed all ports.
class Noc {
public:
    explicit Noc(const ChipParams& chip);
    /// Arrival of the last byte of a transfer requested at `now` whose first byte is ready at `ready`.
    Cycle send(int noc, NocCoord from, NocEnd to, std::uint64_t bytes, Cycle now, Cycle ready);
    void walk(StateWalk& walk);
    const noc::Constants& constants() const { return constants_; }
    /// From now on every link and NIU port records its load in the probe.
    void trace(Probe& probe, std::int64_t chip);
    void make_ideal() { ideal_ = true; }  ///< a transfer takes only the latency of its first byte

private:
    bool has_l1(noc::Node node) const;
    bool answers_reads(noc::Node node) const;
    /// Clocks for which a transfer occupies the resources on its route.
    struct Occupancy {
        std::uint64_t bytes = 0;
        Cycle links = 0, source = 0, read = 0, written = 0;
        Cycle slowest() const { return std::max({links, source, read, written}); }
    };
    Occupancy occupancy(noc::Node from, std::uint64_t bytes, bool into_l1) const;
    Cycle multicast(const noc::Topology::Tree& tree, noc::Node from, std::uint64_t bytes, Cycle now, Cycle ready);
    const noc::Topology::Tree& tree(int noc, noc::Node from, NocEnd to);
    void note_use(Server& server);

    const noc::Constants& constants_;
    noc::Topology topology_;
    std::vector<Server> ports_;  ///< by noc::Port
    std::vector<Server>
        channels_;            ///< by noc::Port: the virtual channel of multicasts, held while the path is reserved
    std::vector<Server> l1_;  ///< by noc::Node
    bool ideal_ = false;
    std::map<std::tuple<int, noc::Node, noc::Node, noc::Node>, noc::Topology::Tree> trees_;
    std::vector<Server*> used_;  ///< servers of the routes asked for; the others have no state to walk
    std::size_t noted_routes_ = 0;
};

}  // namespace ttsim::impl::sim
