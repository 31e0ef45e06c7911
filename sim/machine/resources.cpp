#include "sim/machine/resources.hpp"

#include <algorithm>
#include <cmath>

namespace ttsim::impl::sim {

void Server::remove_past() {
    if (past_ == reserved_.size())
        reserved_.clear();
    else
        reserved_.erase(reserved_.begin(), reserved_.begin() + past_);
    past_ = 0;
}

/// From the first span that reaches `ready`, the transfer fills the gaps, and these spans are merged into one.
Cycle Server::reserve_between(Cycle ready, Cycle length) {
    auto first = reserved_.end();  // few spans are behind it
    while (first != reserved_.begin() + past_ && (first - 1)->end >= ready) --first;
    const Cycle begin = first != reserved_.end() ? std::min(first->start, ready) : ready;
    Cycle at = ready, left = length, done = 0;
    auto last = first;
    for (; left > 0; ++last) {
        const Cycle free = last == reserved_.end() ? left + 1 : last->start > at ? last->start - at : 0;
        if (free > left) break;  // the rest fits before the next span
        if (load_ && free > 0) load_->occupy(at, free);
        left -= free;
        done = last->start;
        at = std::max(at, last->end);
    }
    if (left > 0) {
        if (load_) load_->occupy(at, left);
        at = done = at + left;
    }
    if (first == last) {
        reserved_.insert(first, {begin, at});
    } else {
        *first = {begin, at};
        reserved_.erase(first + 1, last);
    }
    return done;
}

Cycle Server::reserve_and_count(Cycle ready, Cycle length, std::uint64_t bytes) {
    const Cycle done = reserve_between(ready, length);
    load_->count(bytes, done - length - ready);
    return done;
}

void Server::walk(StateWalk& walk) {
    if (walk.saving()) forget(walk.now());
    walk.fixed(reserved_.size() - past_);
    for (auto span = reserved_.begin() + past_; span != reserved_.end(); ++span) {
        walk.time(span->start);
        walk.time(span->end);
    }
    walk.total(busy_);
    walk.total(bytes_);
}

Noc::Noc(const ChipParams& chip)
    : constants_(noc::constants(chip)),
      topology_(chip),
      ports_(static_cast<std::size_t>(topology_.ports())),
      channels_(ports_.size()),
      l1_(static_cast<std::size_t>(topology_.nodes())) {}

bool Noc::has_l1(noc::Node node) const {
    return topology_.kind(node) == noc::NodeKind::Worker || topology_.kind(node) == noc::NodeKind::Ethernet;
}

/// DRAM and the host send data as responses to reads; cores send it as writes.
bool Noc::answers_reads(noc::Node node) const { return !has_l1(node); }

Noc::Occupancy Noc::occupancy(noc::Node from, std::uint64_t bytes, bool into_l1) const {
    const noc::Constants& c = constants_;
    const auto clocks = [](double value) { return static_cast<Cycle>(std::ceil(value)); };
    const double size = static_cast<double>(bytes), data = size / c.flit_bytes;
    const double flits = std::ceil(data) + std::ceil(size / c.packet_bytes) * (1 + c.packet_gap);
    Occupancy occupancy{bytes, clocks(flits), clocks(flits * (answers_reads(from) ? c.response_flit : c.write_flit)), 0,
                        0};
    if (has_l1(from)) occupancy.read = clocks(data / c.l1_flits);
    if (into_l1) occupancy.written = clocks(data * c.l1_write / c.l1_flits);
    return occupancy;
}

Cycle Noc::send(int noc, NocCoord from, NocEnd to, std::uint64_t bytes, Cycle now, Cycle ready) {
    const noc::Node source = topology_.node(from), target = topology_.node(to.high);
    if (to.many() && bytes > 0 && !ideal_)
        if (const noc::Topology::Tree& branches = tree(noc, source, to); !branches.leaves.empty())
            return multicast(branches, source, bytes, now, ready);
    const noc::Route& route = topology_.route(noc, source, target);
    const auto niu = static_cast<Cycle>(constants_.niu), hop = static_cast<Cycle>(constants_.hop);
    const Cycle latency = 2 * niu + hop * static_cast<Cycle>(route.links);
    if (bytes == 0 || ideal_) return ready + latency;
    const Occupancy load = occupancy(source, bytes, has_l1(target));
    const Cycle slowest = load.slowest();
    Cycle head = ready, passed_latency = 0, arrival = ready + slowest + latency;
    // The slowest resource determines the rate; a delay at one port is absorbed where later ports have time.
    const auto pass = [&](Server& server, Cycle busy, Cycle step) {
        const Cycle done = server.reserve(now, head, busy, bytes);
        arrival = std::max(arrival, done + latency - passed_latency);
        if (done > head + slowest) head = done - slowest;
        head += step;
        passed_latency += step;
    };
    for (const noc::Hop& next : route.hops) {  // far apart in memory; a port has two cache lines
        const char* const port = reinterpret_cast<const char*>(&ports_[next.port]);
        __builtin_prefetch(port);
        __builtin_prefetch(port + 64);
    }
    if (load.read > 0) pass(l1_[source], load.read, 0);
    const std::size_t last = route.hops.size() - 1;
    for (std::size_t i = 0; i <= last; ++i)
        pass(ports_[route.hops[i].port], i == 0 ? load.source : load.links, i == 0 || i == last ? niu : hop);
    if (load.written > 0) pass(l1_[target], load.written, 0);
    return arrival;
}

/// The tree of a multicast, with the rectangle's corners in the direction of flow.
static noc::Topology::Tree multicast_tree(const noc::Topology& topology, int noc, noc::Node from, NocEnd to) {
    return topology.tree(noc, from, noc == 0 ? to.low : to.high, noc == 0 ? to.high : to.low);
}

std::vector<noc::Port> ports_passed(const noc::Topology& topology, int noc, NocCoord from, NocEnd to) {
    std::vector<noc::Port> ports;
    const noc::Node source = topology.node(from);
    if (to.many()) {
        const noc::Topology::Tree tree = multicast_tree(topology, noc, source, to);
        for (const noc::Hop& hop : tree.hops) ports.push_back(hop.port);
        if (!tree.leaves.empty()) return ports;
        ports.clear();
    }
    for (const noc::Hop& hop : topology.route(noc, source, topology.node(to.high)).hops) ports.push_back(hop.port);
    return ports;
}

const noc::Topology::Tree& Noc::tree(int noc, noc::Node from, NocEnd to) {
    const auto [found, fresh] =
        trees_.try_emplace({noc, from, topology_.node(to.low), topology_.node(to.high)}, noc::Topology::Tree{});
    if (fresh) {
        found->second = multicast_tree(topology_, noc, from, to);
        note_use(l1_[from]);
        for (const noc::Hop& hop : found->second.hops) {
            note_use(ports_[hop.port]);
            note_use(channels_[hop.port]);
        }
    }
    return found->second;
}

/// A multicast holds the multicast channel of its whole tree while it reserves the path and sends. It occupies the
/// ports only for the time of its flits.
Cycle Noc::multicast(const noc::Topology::Tree& tree, noc::Node from, std::uint64_t bytes, Cycle now, Cycle ready) {
    const auto latency = static_cast<Cycle>(constants_.hop) * static_cast<Cycle>(tree.depth);
    const Occupancy load = occupancy(from, bytes, false);
    const Cycle held = static_cast<Cycle>(constants_.multicast_setup) + 2 * latency + std::max(load.links, load.source);
    Cycle last = ready + held;
    for (const noc::Hop& hop : tree.hops) last = std::max(last, channels_[hop.port].reserve(now, ready, held));
    const Cycle start = last - std::max(load.links, load.source);
    Cycle done = start + load.slowest();
    if (load.read > 0) done = std::max(done, l1_[from].reserve(now, start, load.read, bytes));
    for (const noc::Hop& hop : tree.hops) {
        const Cycle busy = topology_.is_inject(hop.port) ? load.source : load.links;
        done = std::max(done, ports_[hop.port].reserve(now, start, busy, bytes));
    }
    return done + 2 * static_cast<Cycle>(constants_.niu) + latency;
}

void Noc::note_use(Server& server) {
    if (server.note()) used_.push_back(&server);
}

/// A chip has thousands of servers, of which a run uses some. Noting them here costs transfers nothing.
void Noc::walk(StateWalk& walk) {
    for (; noted_routes_ < topology_.routes_made(); ++noted_routes_) {
        const auto hops = topology_.route_made(noted_routes_).hops;
        for (const noc::Hop& hop : hops) note_use(ports_[hop.port]);
        for (const noc::Hop& end : {hops.front(), hops.back()}) note_use(l1_[topology_.node_of(end.port)]);
    }
    walk.fixed(used_.size());
    for (Server* server : used_) server->walk(walk);
}

void Noc::trace(Probe& probe, std::int64_t chip) {
    for (std::size_t p = 0; p < ports_.size(); ++p) {
        const auto port = static_cast<noc::Port>(p);
        const NocCoord at = topology_.coord(topology_.node_of(port));
        ResourceName name{.kind = ResourceName::Kind::NocLink, .chip = chip, .noc = topology_.noc_of(port)};
        name.x = at.x;
        name.y = at.y;
        name.vertical = topology_.is_along_y(port);
        name.bytes_per_cycle = constants_.flit_bytes;
        if (!topology_.is_link(port)) name.part = topology_.is_inject(port) ? "in" : "out";
        ports_[p].trace(probe.resource(name));
    }
}

}  // namespace ttsim::impl::sim
