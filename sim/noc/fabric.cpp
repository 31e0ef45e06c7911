#include "sim/noc/fabric.hpp"

#include <algorithm>
#include <cmath>

namespace ttsim::impl::noc {

namespace {

enum : std::uint32_t { request_event = 1U << 30, write_event };

/// Default virtual channel: any of the pair, or the fixed default of the software.
std::int8_t usual_lane(double lanes) { return lanes > 1 ? -1 : 1; }

}  // namespace

Fabric::Fabric(const Topology& topology, const Constants& constants, Client& client)
    : constants_(constants),
      topology_(topology),
      client_(client),
      network_(topology_, {constants.buffer_flits, constants.buffer_own, constants.buffer_pool, constants.hop},
               topology_.nodes() + topology_.dram_blocks(), *this),
      requests_(topology_, static_cast<std::uint32_t>(constants.buffer_flits),
                static_cast<std::uint32_t>(constants.request_intake), *this),
      answering_(static_cast<std::size_t>(noc_count * topology_.nodes())) {
    for (int node = 0; node < topology_.nodes(); ++node) network_.set_memory(node, constants_.l1_flits);
}

double Fabric::flits(std::uint64_t bytes) const {
    return std::ceil(static_cast<double>(bytes) / constants_.flit_bytes) + 1 + constants_.packet_gap;
}

void Fabric::use_memory(Packet& packet, std::size_t which, Node node, bool read, std::uint64_t bytes) const {
    const auto size = static_cast<double>(bytes);
    switch (topology_.kind(node)) {
        case NodeKind::Worker:
        case NodeKind::Ethernet:
            packet.memory[which] = node;
            packet.memory_cost[which] = (read ? 1 : constants_.l1_write) * size / constants_.flit_bytes / packet.flits;
            return;
        case NodeKind::Dram: {
            packet.memory[which] = topology_.nodes() + topology_.dram_block(node);
            packet.memory_cost[which] = constants_.dram.busy(!read, bytes) / packet.flits;
            return;
        }
        case NodeKind::Pcie:
        case NodeKind::Arc:
        case NodeKind::Router:
            return;
    }
}

std::uint32_t Fabric::add_part(std::uint32_t pending, std::uint64_t bytes) {
    std::uint32_t id;
    if (free_parts_.empty()) {
        id = static_cast<std::uint32_t>(parts_.size());
        parts_.emplace_back();
    } else {
        id = free_parts_.back();
        free_parts_.pop_back();
    }
    parts_[id] = {pending, static_cast<std::uint32_t>(bytes)};
    return id;
}

void Fabric::issue(const Transaction& transaction) {
    std::uint32_t id;
    if (free_pending_.empty()) {
        id = static_cast<std::uint32_t>(pending_.size());
        pending_.emplace_back();
    } else {
        id = free_pending_.back();
        free_pending_.pop_back();
    }
    const auto most = static_cast<std::uint64_t>(constants_.packet_bytes);
    const std::uint64_t count = std::max<std::uint64_t>(1, (transaction.bytes + most - 1) / most);
    pending_[id] = {transaction, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count), now()};
    // Software splits the transaction and issues its packets in sequence.
    const double gap = transaction.kind == Kind::Read ? constants_.issue_read : constants_.issue_write;
    std::uint64_t left = transaction.bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t bytes = std::min(left, most);
        left -= bytes;
        issue_part(add_part(id, bytes), now() + static_cast<double>(i) * gap);
    }
}

void Fabric::issue_part(std::uint32_t part, Time when) {
    const Transaction& t = pending_[parts_[part].pending].transaction;
    if (t.kind == Kind::Read || t.kind == Kind::Atomic) {
        // A request is one flit, which interleaves with other packets and waits at its target only.
        double latency = head_latency(topology_.route(t.noc, t.from, t.to));
        if (t.kind == Kind::Atomic)
            latency += constants_.atomic_latency;
        else
            latency += constants_.read_latency + (topology_.kind(t.to) == NodeKind::Dram ? constants_.dram_latency : 0);
        network_.at(when + latency, request_event, part);
    } else if (when > now()) {
        network_.at(when, write_event, part);
    } else {
        write(part);
    }
}

void Fabric::request_arrives(std::uint32_t part) {
    const std::uint32_t pending = parts_[part].pending;
    const Transaction& t = pending_[pending].transaction;
    if (t.kind == Kind::Atomic) return part_done(part, now() + head_latency(topology_.route(t.noc, t.to, t.from)));
    requests_.enter(part, topology_.route(t.noc, t.from, t.to), t.lane);
}

void Fabric::request_pending(int noc, Node node) {
    std::uint8_t& active = answering(noc, node);
    while (active < constants_.responses) {
        ++active;  // take() lets other requests advance, which calls this function again
        const std::uint32_t part = requests_.take(noc, node);
        if (part == RequestQueues::none) {
            --active;
            return;
        }
        respond(part);
    }
}

void Fabric::respond(std::uint32_t part) {
    const Transaction& t = pending_[parts_[part].pending].transaction;
    const Route& route = topology_.route(t.noc, t.to, t.from);
    Packet packet;
    packet.hops = route.hops;
    packet.traffic = Traffic::Response;
    packet.lane = usual_lane(constants_.response_lanes);  // responses do not use the request's virtual channel
    packet.flits = flits(parts_[part].bytes);
    packet.source_cost = constants_.response_flit;
    use_memory(packet, 0, t.to, true, parts_[part].bytes);
    use_memory(packet, 1, t.from, false, parts_[part].bytes);
    packet.latency = head_latency(route);
    packet.tag = part;
    network_.send(packet);
}

void Fabric::write(std::uint32_t part) {
    const Transaction& t = pending_[parts_[part].pending].transaction;
    Packet packet;
    packet.flits = flits(parts_[part].bytes);
    packet.source_cost = constants_.write_flit;
    packet.lane = t.lane >= 0 ? t.lane : usual_lane(constants_.request_lanes);
    if (t.dynamic) {
        packet.lane = -1;
        packet.one_at_source = true;
        packet.lanes = static_cast<std::int8_t>(constants_.dynamic_lanes);
    }
    packet.tag = part;
    use_memory(packet, 0, t.from, true, parts_[part].bytes);
    if (is_multicast(t.kind)) {
        packet.hops = t.tree->hops;
        packet.tree = true;
        packet.traffic = Traffic::Multicast;
        packet.latency = 2 * constants_.niu + constants_.hop * t.tree->depth;
        // the path is reserved before the first flit leaves
        if (!t.linked) packet.flits += constants_.multicast_setup + 2 * constants_.hop * t.tree->depth;
    } else {
        const Route& route = topology_.route(t.noc, t.from, t.to);
        packet.hops = route.hops;
        packet.latency = head_latency(route);
        packet.one_at_end = topology_.kind(t.to) == NodeKind::Dram;
        use_memory(packet, 1, t.to, false, parts_[part].bytes);
    }
    network_.send(packet);
}

void Fabric::part_done(std::uint32_t part, Time when) {
    const std::uint32_t id = parts_[part].pending;
    free_parts_.push_back(part);
    Pending& pending = pending_[id];
    pending.done = std::max(pending.done, when);
    if (--pending.parts > 0) return;
    const std::uint32_t tag = pending.transaction.tag;
    const Time done = pending.done;
    free_pending_.push_back(id);
    client_.completed(tag, now(), done);
}

void Fabric::left_source(std::uint32_t part, Time now) {
    Pending& pending = pending_[parts_[part].pending];
    const Transaction& t = pending.transaction;
    if (t.kind == Kind::Read) {
        --answering(t.noc, t.to);
        request_pending(t.noc, t.to);
    } else if (--pending.unsent == 0) {
        client_.departed(t.tag, now);
    }
}

void Fabric::delivered(std::uint32_t part, Time, Time arrival) {
    const Transaction& t = pending_[parts_[part].pending].transaction;
    if (t.kind == Kind::Read) return part_done(part, arrival);
    Time done = arrival;
    if (!is_posted(t.kind)) {
        const Node target = is_multicast(t.kind) ? t.tree->farthest : t.to;
        done += constants_.write_latency + head_latency(topology_.route(t.noc, target, t.from));
        if (topology_.kind(target) == NodeKind::Dram) done += constants_.dram_write_latency;
    }
    part_done(part, done);
}

void Fabric::timer(std::uint32_t what, std::uint32_t argument, Time now) {
    if (what == request_event)
        request_arrives(argument);
    else if (what == write_event)
        write(argument);
    else
        client_.timer(what, argument, now);
}

template <class Take>
Fabric::Use Fabric::use(Time cycles, int first, int last, Take&& take) const {
    Use use;
    int used = 0;
    for (int i = first; i < last; ++i) {
        const double busy = take(i);
        if (busy <= 0) continue;
        ++used;
        use.mean += busy;
        use.max = std::max(use.max, busy);
    }
    const double scale = cycles > 0 ? 100 / cycles : 0;
    return {used ? use.mean * scale / used : 0, use.max * scale};
}

Fabric::Use Fabric::link_use(Time cycles) const {
    return use(cycles, 0, topology_.ports(), [&](int i) {
        return topology_.is_link(static_cast<Port>(i)) ? network_.port_flits(static_cast<Port>(i)) : 0;
    });
}

Fabric::Use Fabric::niu_use(Time cycles) const {
    return use(cycles, 0, topology_.ports(), [&](int i) {
        return topology_.is_link(static_cast<Port>(i)) ? 0 : network_.port_flits(static_cast<Port>(i));
    });
}

Fabric::Use Fabric::dram_use(Time cycles) const {
    return use(cycles, topology_.nodes(), topology_.nodes() + topology_.dram_blocks(),
               [&](int i) { return network_.memory_busy(i); });
}

}  // namespace ttsim::impl::noc
