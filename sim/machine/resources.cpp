#include "sim/machine/resources.hpp"

#include <algorithm>
#include <cmath>

namespace tt::sim {

Cycle Server::pass(Cycle now, Cycle ready, Cycle length, std::uint64_t bytes) {
    while (!taken_.empty() && taken_.front().end <= now) taken_.pop_front();
    if (length == 0) return ready;
    busy_ += length;
    bytes_ += bytes;
    // From the first span that reaches `ready` on, the transfer fills what is free, and all become one span.
    const auto first = std::partition_point(taken_.begin(), taken_.end(), [&](const Span& s) { return s.end < ready; });
    const Cycle begin = first != taken_.end() ? std::min(first->start, ready) : ready;
    Cycle at = ready, left = length, done = 0;
    auto last = first;
    for (; left > 0; ++last) {
        const Cycle free = last == taken_.end() ? left + 1 : last->start > at ? last->start - at : 0;
        if (free > left) break;  // it ends before the next one begins
        if (load_ && free > 0) load_->occupy(at, free);
        left -= free;
        done = last->start;
        at = std::max(at, last->end);
    }
    if (left > 0) {
        if (load_) load_->occupy(at, left);
        at = done = at + left;
    }
    if (load_) load_->count(bytes, done - length - ready);
    if (first == last) {
        taken_.insert(first, {begin, at});
    } else {
        *first = {begin, at};
        taken_.erase(first + 1, last);
    }
    return done;
}

void Server::walk(StateWalk& walk) {
    if (walk.saving())
        while (!taken_.empty() && taken_.front().end <= walk.now()) taken_.pop_front();
    walk.fixed(taken_.size());
    for (Span& span : taken_) {
        walk.time(span.start);
        walk.time(span.end);
    }
    walk.total(busy_);
    walk.total(bytes_);
}

Noc::Noc(const ChipParams& chip)
    : topology_(chip),
      hop_(chip.timing.noc_hop),
      niu_(chip.timing.noc_niu),
      link_bytes_(chip.timing.noc_link_bytes),
      packet_bytes_(chip.timing.noc_packet_bytes),
      ports_(static_cast<std::size_t>(topology_.ports())) {}

Cycle Noc::send(int noc, NocCoord from, NocCoord to, std::uint64_t bytes, Cycle now, Cycle ready) {
    const noc::Route& route = topology_.route(noc, topology_.node(from), topology_.node(to));
    const auto niu = static_cast<Cycle>(niu_), hop = static_cast<Cycle>(hop_);
    const Cycle latency = 2 * niu + hop * static_cast<Cycle>(route.links);
    if (bytes == 0) return ready + latency;
    // each packet has a flit of header
    const double packets = std::ceil(static_cast<double>(bytes) / packet_bytes_);
    const auto length = static_cast<Cycle>(std::ceil(static_cast<double>(bytes) / link_bytes_) + packets);
    Cycle head = ready, way = 0, arrival = 0;
    for (std::size_t i = 0; i < route.hops.size(); ++i) {
        const Cycle done = ports_[route.hops[i].port].pass(now, head, length, bytes);
        arrival = std::max(arrival, done + latency - way);
        const Cycle step = i == 0 || i + 1 == route.hops.size() ? niu : hop;
        head = std::max(head, done - length) + step;
        way += step;
    }
    return arrival;
}

void Noc::walk(StateWalk& walk) {
    for (Server& port : ports_) port.walk(walk);
}

void Noc::trace(Probe& probe, std::int64_t chip) {
    for (std::size_t p = 0; p < ports_.size(); ++p) {
        const auto port = static_cast<noc::Port>(p);
        const NocCoord at = topology_.coord(topology_.node_of(port));
        ResourceName name{.kind = ResourceName::Kind::NocLink, .chip = chip, .noc = topology_.noc_of(port)};
        name.x = at.x;
        name.y = at.y;
        name.vertical = topology_.is_along_y(port);
        name.bytes_per_cycle = link_bytes_;
        if (!topology_.is_link(port)) name.part = topology_.is_inject(port) ? "in" : "out";
        ports_[p].trace(probe.resource(name));
    }
}

}  // namespace tt::sim
