#include "sim/machine/resources.hpp"

#include <algorithm>
#include <cmath>

namespace ttsim::impl::sim {

void Reservations::keep_first() {
    earlier_ = std::make_unique<SpanList>();
    earlier_->add(last_);
}

/// Spans that are over are removed; the list grows when less than a third of it was.
void Reservations::keep_in_full(Cycle now) {
    SpanList& spans = *earlier_;
    const Span last = last_;
    forget(now);
    if (spans.size() > spans.capacity() * 2 / 3) spans.reserve(2 * spans.capacity());
    spans.add(last);
}

/// The first span that is not over and reaches `ready`. Few are behind it, but the list may be long.
static auto first_reaching(auto& spans, Cycle ready, Cycle now) {
    constexpr std::ptrdiff_t few = 8;
    const auto before = [&](const auto& span) { return span.end < ready || span.end <= now; };
    auto first = spans.end();
    const auto nearest = spans.end() - std::min<std::ptrdiff_t>(few, std::ssize(spans));
    while (first != nearest && !before(*(first - 1))) --first;
    return first == nearest ? std::partition_point(spans.begin(), nearest, before) : first;
}

/// Removes spans that are over.
void Reservations::forget(Cycle now) {
    const auto over = [now](const Span& span) { return span.end <= now; };
    if (earlier_) earlier_->erase(earlier_->begin(), std::find_if_not(earlier_->begin(), earlier_->end(), over));
    if (over(last_)) last_ = {0, 0};
}

/// From the first span that reaches `ready`, the transfer fills the gaps, and these spans are merged into one.
Cycle Reservations::reserve_between(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes, Load* load) {
    if (!earlier_) earlier_ = std::make_unique<SpanList>();
    SpanList& spans = *earlier_;
    spans.push_back(last_);
    Span* const first = first_reaching(spans, ready, now);
    const Cycle begin = std::min(first->start, ready);
    Cycle at = ready, left = length, done = 0;
    Span* last = first;
    for (; left > 0; ++last) {
        const Cycle free = last == spans.end() ? left + 1 : last->start > at ? last->start - at : 0;
        if (free > left) break;  // the rest fits before the next span
        if (load && free > 0) load->occupy(at, free);
        left -= free;
        done = last->start;
        at = std::max(at, last->end);
    }
    if (left > 0) {
        if (load) load->occupy(at, left);
        at = done = at + left;
    }
    if (first == last) {
        spans.insert(first, {begin, at});
    } else {
        *first = {begin, at};
        spans.erase(first + 1, last);
    }
    last_ = spans.back();
    spans.pop_back();
    if (load) load->count(bytes, done - length - ready);
    return done;
}

void Reservations::walk(StateWalk& walk) {
    if (walk.saving()) forget(walk.now());
    const auto span = [&](Span& one) {
        walk.time(one.start);
        walk.time(one.end);
    };
    const bool any = last_.end > 0;
    walk.fixed((earlier_ ? earlier_->size() : 0) + (any ? 1 : 0));
    if (earlier_) std::ranges::for_each(*earlier_, span);
    if (any) span(last_);
}

void Server::walk(StateWalk& walk) {
    reserved_.walk(walk);
    walk.total(busy_);
    walk.total(bytes_);
}

Noc::Noc(const ChipParams& chip)
    : constants_(noc::constants(chip)),
      topology_(chip),
      ports_(static_cast<std::size_t>(topology_.ports())),
      niu_(static_cast<Cycle>(constants_.niu)),
      hop_(static_cast<Cycle>(constants_.hop)),
      reserved_(2 * ports_ + static_cast<std::size_t>(topology_.nodes())),
      noted_(reserved_.size()) {}

bool Noc::has_l1(noc::Node node) const {
    return topology_.kind(node) == noc::NodeKind::Worker || topology_.kind(node) == noc::NodeKind::Ethernet;
}

/// DRAM and the host send data as responses to reads; cores send it as writes.
Noc::Occupancy Noc::new_occupancy(bool from_l1, std::uint64_t bytes, bool into_l1) const {
    const noc::Constants& c = constants_;
    const auto clocks = [](double value) { return static_cast<Cycle>(std::ceil(value)); };
    const double size = static_cast<double>(bytes), data = size / c.flit_bytes;
    const double flits = std::ceil(data) + std::ceil(size / c.packet_bytes) * (1 + c.packet_gap);
    Occupancy occupancy{clocks(flits), clocks(flits * (from_l1 ? c.write_flit : c.response_flit))};
    if (from_l1) occupancy.read = clocks(data / c.l1_flits);
    if (into_l1) occupancy.written = clocks(data * c.l1_write / c.l1_flits);
    occupancy.slowest = std::max({occupancy.links, occupancy.source, occupancy.read, occupancy.written});
    return occupancy;
}

inline const Noc::Occupancy& Noc::occupancy(bool from_l1, std::uint64_t bytes, bool into_l1) {
    const std::uint64_t key =
        bytes << 2 | std::uint64_t{from_l1} << 1 | std::uint64_t{into_l1};  // transfers have bytes
    KnownOccupancy& known = occupancies_[(key * 0x9e3779b97f4a7c15U) >> 58];
    if (known.key != key) known = {key, new_occupancy(from_l1, bytes, into_l1)};
    return known.occupancy;
}

/// Links that follow each other along an axis, and so on most routes, are neighbours in memory.
Noc::Place Noc::port_place(noc::Port port) const {
    const noc::Node node = topology_.node_of(port);
    int within = node;
    int kind = 0;
    if (topology_.is_along_y(port)) {
        const NocCoord at = topology_.coord(node);
        within = at.x * topology_.grid_y() + at.y;
        kind = 1;
    } else if (!topology_.is_link(port)) {
        kind = topology_.is_inject(port) ? 2 : 3;
    }
    constexpr int kinds = 4;
    return static_cast<Place>((topology_.noc_of(port) * kinds + kind) * topology_.nodes() + within);
}

NocPath Noc::new_path(std::span<const noc::Hop> hops, noc::Node source, noc::Node target) {
    auto& places = places_.emplace_back(std::make_unique<Place[]>(hops.size() + 2));
    Place* next = places.get();
    for (const noc::Hop& hop : hops) *next++ = port_place(hop.port);
    *next++ = source;
    *next++ = target;
    return {.places = places.get(),
            .ports = static_cast<std::uint16_t>(hops.size()),
            .from_l1 = has_l1(source),
            .into_l1 = has_l1(target)};
}

NocPath Noc::path(int noc, NocCoord from, NocEnd to, std::uint64_t bytes) {
    const noc::Node source = topology_.node(from), target = topology_.node(to.high);
    if (to.many() && bytes > 0 && !ideal_)
        if (const NocPath& branches = tree(noc, source, to); branches.known()) return branches;
    const noc::Route& route = topology_.route(noc, source, target);
    if (route.number >= routes_.size()) routes_.resize(route.number + 1);
    NocPath& path = routes_[route.number];
    if (!path.known()) {
        path = new_path(route.hops, source, target);
        path.links = static_cast<std::uint16_t>(route.links);
    }
    return path;
}

Cycle Noc::send(const NocPath& path, std::uint64_t bytes, Cycle now, Cycle ready) {
    if (path.multicast) return multicast(path, bytes, now, ready);
    return loads_.empty() ? send_on_route<false>(path, bytes, now, ready)
                          : send_on_route<true>(path, bytes, now, ready);
}

template <bool counted>
Cycle Noc::send_on_route(const NocPath& path, std::uint64_t bytes, Cycle now, Cycle ready) {
    if (bytes == 0 || ideal_) return ready + 2 * niu_ + hop_ * path.links;
    const Place* const first = path.places;
    const Place* const last = first + path.ports - 1;
    Reservations* const reserved = reserved_.data();
    const Occupancy& busy = occupancy(path.from_l1, bytes, path.into_l1);
    // The slowest resource determines the rate; a delay at one port is absorbed where later ports have time. `tail`:
    // when the last byte may pass, at that rate behind the head.
    const Cycle slowest = busy.slowest;
    Cycle tail = ready + slowest;
    const auto pass = [&](std::size_t place, Load * counting, Cycle length, Cycle step) __attribute__((always_inline)) {
        tail = std::max(tail, reserved[place].reserve(now, tail - slowest, length, bytes, counting)) + step;
    };
    const auto pass_port = [&](Place place, Cycle length, Cycle step) __attribute__((always_inline)) {
        pass(place, counted ? loads_[place] : nullptr, length, step);
    };
    if (busy.read > 0) pass(l1_place(last[1]), nullptr, busy.read, 0);
    pass_port(*first, busy.source, niu_);
    for (const Place* next = first + 1; next < last; ++next) pass_port(*next, busy.links, hop_);
    pass_port(*last, busy.links, niu_);
    if (busy.written > 0) pass(l1_place(last[2]), nullptr, busy.written, 0);
    return tail;
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

const NocPath& Noc::tree(int noc, noc::Node from, NocEnd to) {
    const noc::Node high = topology_.node(to.high);
    const auto [found, fresh] = trees_.try_emplace({noc, from, topology_.node(to.low), high});
    NocPath& path = found->second;
    if (!fresh) return path;
    const noc::Topology::Tree tree = multicast_tree(topology_, noc, from, to);
    note_use(l1_place(from));
    for (const noc::Hop& hop : tree.hops) {
        const Place port = port_place(hop.port);
        note_use(port);
        note_use(ports_ + port);
    }
    if (tree.leaves.empty()) return path;
    path = new_path(tree.hops, from, high);
    path.links = static_cast<std::uint16_t>(tree.depth);
    path.multicast = true;
    return path;
}

/// A multicast holds the multicast channel of its whole tree while it reserves the path and sends. It occupies the
/// ports only for the time of its flits.
Cycle Noc::multicast(const NocPath& path, std::uint64_t bytes, Cycle now, Cycle ready) {
    const std::span<const Place> ports(path.places, path.ports);
    const Cycle latency = hop_ * path.links;
    const Occupancy& busy = occupancy(path.from_l1, bytes, false);
    const Cycle sent = std::max(busy.links, busy.source);
    const Cycle held = static_cast<Cycle>(constants_.multicast_setup) + 2 * latency + sent;
    Cycle last = ready + held;
    for (const Place place : ports) last = std::max(last, channel(place).reserve(now, ready, held, 0, nullptr));
    const Cycle start = last - sent;
    Cycle done = start + busy.slowest;
    if (busy.read > 0)
        done =
            std::max(done, reserved_[l1_place(path.places[path.ports])].reserve(now, start, busy.read, bytes, nullptr));
    Cycle length = busy.source;  // of the first port, from the source's NIU
    for (const Place place : ports) {
        Load* const load = loads_.empty() ? nullptr : loads_[place];
        done = std::max(done, reserved_[place].reserve(now, start, length, bytes, load));
        length = busy.links;
    }
    return done + 2 * niu_ + latency;
}

void Noc::note_use(std::size_t place) {
    if (noted_[place]) return;
    noted_[place] = true;
    used_.push_back(place);
}

/// A chip has thousands of reservations, of which a run uses some. Noting them here costs transfers nothing.
void Noc::walk(StateWalk& walk) {
    for (; noted_routes_ < topology_.routes_made(); ++noted_routes_) {
        const auto hops = topology_.route_made(noted_routes_).hops;
        for (const noc::Hop& hop : hops) note_use(port_place(hop.port));
        for (const noc::Hop& end : {hops.front(), hops.back()}) note_use(l1_place(topology_.node_of(end.port)));
    }
    walk.fixed(used_.size());
    for (const std::size_t place : used_) reserved_[place].walk(walk);
}

void Noc::trace(Probe& probe, std::int64_t chip) {
    loads_.resize(ports_);
    for (std::size_t p = 0; p < ports_; ++p) {
        const auto port = static_cast<noc::Port>(p);
        const NocCoord at = topology_.coord(topology_.node_of(port));
        ResourceName name{.kind = ResourceName::Kind::NocLink, .chip = chip, .noc = topology_.noc_of(port)};
        name.x = at.x;
        name.y = at.y;
        name.vertical = topology_.is_along_y(port);
        name.bytes_per_cycle = constants_.flit_bytes;
        if (!topology_.is_link(port)) name.part = topology_.is_inject(port) ? "in" : "out";
        loads_[port_place(port)] = probe.resource(name);
    }
}

}  // namespace ttsim::impl::sim
