#include "sim/noc/network.hpp"

#include <cmath>

namespace tt::noc {

namespace {
constexpr std::uint32_t flow_event = 0x80000000U;  // with a flow's version: a milestone; the client's are below
}

Network::Network(const Topology& topology, double buffer_flits, int memories, Client& client)
    : topology_(topology),
      client_(client),
      buffer_flits_(buffer_flits),
      shares_(static_cast<std::size_t>(topology.ports() + memories)),
      lanes_(static_cast<std::size_t>(topology.ports())),
      port_flits_(static_cast<std::size_t>(topology.ports()), 0),
      memory_flits_(static_cast<std::size_t>(memories), 0) {
    flows_.reserve(128);
}

void Network::set_memory(int memory, double flits_per_cycle) {
    shares_[static_cast<std::size_t>(topology_.ports() + memory)].capacity = flits_per_cycle;
}

double Network::memory_busy(int memory) const {
    const auto at = static_cast<std::size_t>(memory);
    return memory_flits_[at] / shares_[static_cast<std::size_t>(topology_.ports()) + at].capacity;
}

Network::Lanes& Network::lanes(const Flow& flow, const Hop& hop) {
    return lanes_[hop.port][static_cast<std::size_t>(flow.packet.traffic) * 2 + hop.dateline];
}

void Network::send(const Packet& packet) {
    Id id;
    if (free_.empty()) {
        id = static_cast<Id>(flows_.size());
        flows_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Flow& flow = flows_[id];
    const std::uint32_t version = flow.version;
    flow = Flow{};
    flow.version = version + 1;
    flow.packet = packet;
    flow.left = packet.flits;
    flow.since = now_;
    ++alive_;
    ++packets_;
    if (packet.tree)
        advance_tree(id);
    else
        advance(id);
}

bool Network::take_lane(Flow& flow, std::uint32_t hop) {
    Lanes& at = lanes(flow, flow.packet.hops[hop]);
    const int wanted = flow.packet.lane;
    const int lane = wanted >= 0 ? wanted : at.used & 1;  // the second where the first is taken
    if (at.used >> lane & 1) return false;
    at.used = static_cast<std::uint8_t>(at.used | 1 << lane);
    if (lane) flow.lanes_taken |= std::uint64_t{1} << hop;
    return true;
}

/// The first hop whose lane a packet that waits still needs: buffers hold all of one that has left its source.
std::uint32_t Network::behind_buffers(const Flow& flow) const {
    const auto needed = static_cast<std::uint32_t>(std::ceil(flow.packet.flits / buffer_flits_));
    return flow.next > needed ? flow.next - needed : 0;
}

void Network::advance(Id id) {
    Flow& flow = flows_[id];
    const auto count = static_cast<std::uint32_t>(flow.packet.hops.size());
    while (flow.next < count) {
        if (!take_lane(flow, flow.next)) {
            // It waits, and the buffers behind its head fill.
            wait_at(lanes(flow, flow.packet.hops[flow.next]), id);
            flow.most_buffered = std::min(flow.packet.flits, buffer_flits_ * flow.next);
            flow.gain = flow.next > 0 ? 1 / flow.packet.source_cost : 0;
            schedule(id);
            if (!flow.at_source) let_go(flow, std::max(flow.held, behind_buffers(flow)));
            return;
        }
        ++flow.next;
    }
    start(id);
}

bool Network::advance_tree(Id id) {
    Flow& flow = flows_[id];
    const auto count = static_cast<std::uint32_t>(flow.packet.hops.size());
    for (std::uint32_t hop = 0; hop < count; ++hop) {
        Lanes& at = lanes(flow, flow.packet.hops[hop]);
        if (at.used) {  // a reserved path is not shared with another one
            wait_at(at, id);
            return false;
        }
    }
    for (const Hop& hop : flow.packet.hops) lanes(flow, hop).used = 1;
    flow.next = count;
    flow.since = now_;
    start(id);
    return true;
}

void Network::let_go(Flow& flow, std::uint32_t until) {
    const std::uint32_t from = flow.held;
    flow.held = until;
    for (std::uint32_t hop = from; hop < until; ++hop) {
        Lanes& at = lanes(flow, flow.packet.hops[hop]);
        const int lane = flow.packet.tree ? 0 : static_cast<int>(flow.lanes_taken >> hop & 1);
        at.used = static_cast<std::uint8_t>(at.used & ~(1 << lane));
        port_flits_[flow.packet.hops[hop].port] += flow.packet.flits;
    }
    for (std::uint32_t hop = from; hop < until; ++hop) give_lane(lanes(flow, flow.packet.hops[hop]));
}

void Network::wait_at(Lanes& at, Id id) {
    flows_[id].after = none;
    (at.last == none ? at.first : flows_[at.last].after) = id;
    at.last = id;
}

void Network::give_lane(Lanes& at) {
    for (Id id = at.first, before = none; id != none;) {
        Flow& flow = flows_[id];
        const Id after = flow.after;
        if (flow.packet.tree ? at.used != 0 : !take_lane(flow, flow.next)) {  // it asks for the other lane
            before = id;
            id = after;
            continue;
        }
        (before == none ? at.first : flows_[before].after) = after;
        if (at.last == id) at.last = before;
        if (flow.packet.tree) {
            if (advance_tree(id)) return;
            id = after;
        } else {
            pass(flow);
            ++flow.next;
            advance(id);
            return;
        }
    }
}

void Network::find_ceiling(Flow& flow) {
    flow.ceiling = 1e9;
    each_share(flow, [&](Share share, double cost, std::uint16_t hop) {
        if (shares_[share].capacity / cost >= flow.ceiling) return;
        flow.ceiling = shares_[share].capacity / cost;
        flow.ceiling_at = hop;
    });
}

void Network::start(Id id) {
    Flow& flow = flows_[id];
    flow.moving = true;
    flow.gain = 0;
    find_ceiling(flow);
    each_share(flow, [&](Share share, double, std::uint16_t) { shares_[share].flows.push_back(id); });
    flow.dirty = true;
    dirty_.push_back(id);
}

/// Brings what has moved up to now.
void Network::pass(Flow& flow) {
    const double time = now_ - flow.since;
    flow.since = now_;
    flow.left -= flow.rate * time;
    if (flow.at_source)
        flow.buffered = std::min(flow.buffered + flow.gain * time, std::max(flow.most_buffered, flow.buffered));
}

/// The next thing that happens to it: its last flit leaves the source, or reaches its end.
void Network::schedule(Id id) {
    Flow& flow = flows_[id];
    ++flow.version;
    double time;
    if (flow.at_source) {
        const double most = std::max(flow.most_buffered, flow.buffered);
        const double filling = flow.rate + flow.gain;
        time = filling > 0 ? (flow.left - flow.buffered) / filling : 0;
        if (flow.buffered + flow.gain * time > most || filling <= 0) {
            if (flow.rate <= 0 && most < flow.left) return;  // the buffers hold no more until it moves
            time = flow.rate > 0 ? (flow.left - most) / flow.rate : time;
        }
    } else {
        if (flow.rate <= 0) return;
        time = flow.left / flow.rate;
    }
    events_.at(now_ + std::max(time, 0.0), flow_event | (flow.version & ~flow_event), id);
}

void Network::set_rate(Id id, double rate, std::uint16_t narrow) {
    Flow& flow = flows_[id];
    if (flow.rate == rate && flow.narrow == narrow) return;
    pass(flow);
    flow.rate = rate;
    flow.narrow = narrow;
    flow.gain = narrow > 0 ? std::max(0.0, 1 / flow.packet.source_cost - rate) : 0;
    flow.most_buffered = std::min(flow.packet.flits, buffer_flits_ * narrow);
    schedule(id);
}

void Network::leave_share(Id id, Share share) {
    std::vector<Id>& flows = shares_[share].flows;
    for (std::size_t i = 0; i < flows.size();) {
        if (flows[i] == id) {
            flows[i] = flows.back();
            flows.pop_back();
            continue;
        }
        Flow& other = flows_[flows[i]];
        if (!other.dirty) {
            other.dirty = true;
            dirty_.push_back(flows[i]);
        }
        ++i;
    }
}

void Network::milestone(Id id) {
    Flow& flow = flows_[id];
    pass(flow);
    if (!flow.at_source) return finish(id);
    if (flow.moving && flow.left <= 1e-6) {
        leave_source(id);
        finish(id);
        return;
    }
    leave_source(id);
    if (flows_[id].moving) {
        find_ceiling(flows_[id]);
        schedule(id);
        if (!flows_[id].dirty) {
            flows_[id].dirty = true;
            dirty_.push_back(id);
        }
    }
}

void Network::leave_source(Id id) {
    Flow& flow = flows_[id];
    if (flow.moving && flow.held == 0) {
        leave_share(id, flow.packet.hops[0].port);
        if (flow.packet.memory[0] >= 0) leave_share(id, static_cast<Share>(topology_.ports() + flow.packet.memory[0]));
    }
    if (flow.packet.memory[0] >= 0)
        memory_flits_[static_cast<std::size_t>(flow.packet.memory[0])] +=
            flow.packet.memory_cost[0] * flow.packet.flits;
    flow.at_source = false;
    const std::uint32_t tag = flow.packet.tag;
    let_go(flow, flow.moving ? 1 : std::max(1U, behind_buffers(flow)));
    client_.left_source(tag, now_);
}

void Network::finish(Id id) {
    Flow& flow = flows_[id];
    each_share(flow, [&](Share share, double, std::uint16_t) { leave_share(id, share); });
    if (flow.packet.memory[1] >= 0)
        memory_flits_[static_cast<std::size_t>(flow.packet.memory[1])] +=
            flow.packet.memory_cost[1] * flow.packet.flits;
    flow.moving = false;
    const std::uint32_t tag = flow.packet.tag;
    const Time arrival = now_ + flow.packet.latency;
    let_go(flow, static_cast<std::uint32_t>(flow.packet.hops.size()));
    ++flow.version;
    free_.push_back(id);
    --alive_;
    client_.delivered(tag, now_, arrival);
}

bool Network::run() {
    for (;;) {
        if (!dirty_.empty() && (events_.empty() || events_.next_time() > now_)) compute_rates();
        if (events_.empty()) return alive_ == 0;
        const Event event = events_.pop();
        if (event.what & flow_event) {
            if ((flows_[event.argument].version & ~flow_event) != (event.what & ~flow_event))
                continue;  // has a new rate
            now_ = event.time;
            milestone(event.argument);
        } else {
            now_ = event.time;
            client_.timer(event.what, event.argument, now_);
        }
    }
}

}  // namespace tt::noc
