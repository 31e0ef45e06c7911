#include "sim/noc/network.hpp"

#include <bit>
#include <cmath>

namespace ttsim::impl::noc {

namespace {
// event kinds: milestone of a flow (with its version), arrival of the head of a waiting packet (with its count of
// waits); the client's kinds are below
constexpr std::uint32_t flow_event = 0x80000000U, head_event = 0xC0000000U, count_mask = 0x3FFFFFFFU;
}  // namespace

Network::Network(const Topology& topology, const Buffers& buffers, int memories, Client& client)
    : topology_(topology),
      client_(client),
      buffers_(buffers),
      max_harmless_(static_cast<int>((buffers.pool - buffers.hop + buffers.own) / (buffers.per_lane - buffers.own))),
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
    const std::uint32_t version = flow.version, waits = flow.waits;
    flow = Flow{};
    flow.version = version + 1;
    flow.waits = waits;
    flow.packet = packet;
    flow.left = flow.scarce_from = packet.flits;
    flow.since = now_;
    ++alive_;
    ++packets_;
    if (packet.tree)
        advance_tree(id);
    else
        advance(id);
}

bool Network::acquire_lane(Flow& flow, std::uint32_t hop) {
    const Packet& packet = flow.packet;
    Lanes& at = lanes(flow, packet.hops[hop]);
    int lane = packet.lane;
    if ((packet.one_at_end && hop + 1 == packet.hops.size()) || (packet.one_at_source && hop == 0))
        lane = 0;
    else if (lane < 0)
        lane = std::countr_one(at.used);  // the first free lane
    if (lane >= packet.lanes || at.used >> lane & 1) return false;
    at.used = static_cast<std::uint8_t>(at.used | 1 << lane);
    at.last_input = input_of(flow, hop);
    flow.held_lanes |= static_cast<std::uint64_t>(lane) << 2 * hop;
    return true;
}

/// The first hop whose lane a waiting packet that has left its source must hold; the buffers from there on hold all its
/// flits.
std::uint32_t Network::first_held_hop(const Flow& flow) const {
    const auto needed = static_cast<std::uint32_t>(std::ceil(flow.packet.flits / buffers_.per_lane));
    return flow.next > needed ? flow.next - needed : 0;
}

void Network::advance(Id id) {
    Flow& flow = flows_[id];
    const auto count = static_cast<std::uint32_t>(flow.packet.hops.size());
    while (flow.next < count) {
        if (!acquire_lane(flow, flow.next)) {
            // The packet waits, and the buffers behind its head fill.
            wait_at(lanes(flow, flow.packet.hops[flow.next]), id);
            flow.most_buffered = std::min(flow.packet.flits, buffers_.per_lane * flow.next);
            flow.gain = flow.next > 0 ? 1 / flow.packet.source_cost : 0;
            schedule(id);
            if (!flow.at_source) release(flow, std::max(flow.held, first_held_hop(flow)));
            wait(id);
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

void Network::release(Flow& flow, std::uint32_t until) {
    const std::uint32_t from = flow.held;
    flow.held = until;
    if (flow.full_from < until && flow.full_to > 0)
        fill_buffers(flow, std::min<std::uint32_t>(until, flow.full_to), flow.full_to);
    for (std::uint32_t hop = from; hop < until; ++hop) {
        Lanes& at = lanes(flow, flow.packet.hops[hop]);
        const int lane = flow.packet.tree ? 0 : static_cast<int>(flow.held_lanes >> 2 * hop & 3);
        at.used = static_cast<std::uint8_t>(at.used & ~(1 << lane));
        port_flits_[flow.packet.hops[hop].port] += flow.packet.flits;
    }
    if (until == from) return;
    // Lanes are granted at the far end first, so that following packets do not overtake those that wait there. Before a
    // port that serves one packet at a time this holds for all hops; elsewhere sequences of packets stay together.
    const auto hops = flow.packet.hops;
    const bool far_first = flow.packet.one_at_end;
    grant_lane(lanes(flow, hops[until - 1]));
    for (std::uint32_t i = from; i + 1 < until; ++i)
        grant_lane(lanes(flow, hops[far_first ? from + until - 2 - i : i]));
}

/// Starts a wait. Where buffer slots are scarce, they are occupied only when the packet's head arrives.
void Network::wait(Id id) {
    Flow& flow = flows_[id];
    ++flow.waits;
    const std::uint32_t from = std::max(flow.held, first_held_hop(flow));
    for (std::uint32_t hop = from; hop < flow.next; ++hop)
        if (shares_[flow.packet.hops[hop].port].blocked >= max_harmless_)
            return events_.at(now_ + buffers_.hop * flow.next, head_event | (flow.waits & count_mask), id);
    fill_buffers(flow, from, flow.next);
}

/// Sets the range of hops behind which a waiting packet fills buffers; none when from == to.
void Network::fill_buffers(Flow& flow, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t hop = flow.full_from; hop < flow.full_to; ++hop)
        if (hop < from || hop >= to) change_blocked(flow.packet.hops[hop].port, -1);
    for (std::uint32_t hop = from; hop < to; ++hop)
        if (hop < flow.full_from || hop >= flow.full_to) change_blocked(flow.packet.hops[hop].port, 1);
    flow.full_from = static_cast<std::uint16_t>(from);
    flow.full_to = static_cast<std::uint16_t>(to);
}

void Network::change_blocked(Share share, int change) {
    ShareState& state = shares_[share];
    const int before = state.blocked;
    state.blocked = static_cast<std::uint16_t>(before + change);
    if (std::max<int>(before, state.blocked) > max_harmless_) update_ceilings(state);
}

/// Flits per cycle of a virtual channel, limited by its free slots; each slot is reused after the time of a hop.
double Network::lane_rate(const ShareState& share) const {
    const double taken = share.blocked * (buffers_.per_lane - buffers_.own);
    const double left = std::max(0.0, buffers_.pool - taken);
    const auto moving = static_cast<double>(std::max<std::size_t>(1, share.flows.size()));
    return std::min(buffers_.per_lane, buffers_.own + left / moving) / buffers_.hop;
}

/// Flits that a packet passes after a wait before buffer slots become scarce. The buffer at its head is full; freed
/// slots go round robin to it and to packets that the pool could not serve.
double Network::abundant_flits(const Flow& flow) const {
    if (flow.full_from >= flow.full_to) return 0;
    const double shared = buffers_.per_lane - buffers_.own;
    const int waiting = shares_[flow.packet.hops[flow.full_to - 1U].port].blocked - 1;
    return buffers_.per_lane + shared / std::max(1.0, waiting - std::floor(buffers_.pool / shared));
}

void Network::mark_dirty(Id id) {
    if (flows_[id].dirty) return;
    flows_[id].dirty = true;
    dirty_.push_back(id);
}

void Network::update_ceilings(const ShareState& share) {
    for (const Id id : share.flows) {
        pass(flows_[id]);
        find_ceiling(flows_[id]);
        mark_dirty(id);
    }
}

void Network::wait_at(Lanes& at, Id id) {
    flows_[id].after = none;
    (at.last == none ? at.first : flows_[at.last].after) = id;
    at.last = id;
}

/// The input port of the router before a hop. no_port when the packet may use one of many channels, since then the
/// channels are served round robin, not the inputs.
Port Network::input_of(const Flow& flow, std::uint32_t hop) {
    const bool many = flow.packet.tree || flow.packet.one_at_source;
    return many || hop == 0 ? no_port : flow.packet.hops[hop - 1].port;
}

/// Grants a free lane to the packet that waits longest at another input than the last one, else to the one that waits
/// longest.
void Network::grant_lane(Lanes& at) {
    if (at.first == none) return;
    if (at.last_input == no_port || !grant_lane(at, true)) grant_lane(at, false);
}

bool Network::grant_lane(Lanes& at, bool skip_last_input) {
    for (Id id = at.first, before = none; id != none;) {
        Flow& flow = flows_[id];
        const Id after = flow.after;
        if ((skip_last_input && input_of(flow, flow.next) == at.last_input) ||
            (flow.packet.tree ? at.used != 0 : !acquire_lane(flow, flow.next))) {  // its requested lane is not free
            before = id;
            id = after;
            continue;
        }
        (before == none ? at.first : flows_[before].after) = after;
        if (at.last == id) at.last = before;
        if (flow.packet.tree) {
            if (advance_tree(id)) return true;
            id = after;
        } else {
            pass(flow);
            flow.scarce_from = flow.left - abundant_flits(flow);
            ++flow.next;
            fill_buffers(flow, 0, 0);
            ++flow.waits;
            advance(id);
            return true;
        }
    }
    return false;
}

void Network::find_ceiling(Flow& flow) {
    flow.ceiling = 1e9;
    each_share(flow, [&](Share share, double cost, std::uint16_t hop) {
        if (shares_[share].capacity / cost >= flow.ceiling) return;
        flow.ceiling = shares_[share].capacity / cost;
        flow.ceiling_at = hop;
    });
    flow.scarce_later = false;
    for (std::size_t hop = flow.held; hop < flow.packet.hops.size(); ++hop) {
        const ShareState& share = shares_[flow.packet.hops[hop].port];
        if (share.blocked <= max_harmless_) continue;
        if (flow.left > flow.scarce_from + 1e-6) {
            flow.scarce_later = true;
            continue;
        }
        const double rate = lane_rate(share);
        if (rate >= flow.ceiling) continue;
        flow.ceiling = rate;
        flow.ceiling_at = static_cast<std::uint16_t>(hop);
    }
}

void Network::start(Id id) {
    Flow& flow = flows_[id];
    flow.moving = true;
    flow.gain = 0;
    each_share(flow, [&](Share share, double, std::uint16_t) {
        shares_[share].flows.push_back(id);
        if (shares_[share].blocked > max_harmless_) update_ceilings(shares_[share]);
    });
    find_ceiling(flow);
    mark_dirty(id);
}

/// Updates `left` and `buffered` of a flow to the present.
void Network::pass(Flow& flow) {
    const double time = now_ - flow.since;
    flow.since = now_;
    flow.left -= flow.rate * time;
    if (flow.at_source)
        flow.buffered = std::min(flow.buffered + flow.gain * time, std::max(flow.most_buffered, flow.buffered));
}

/// Schedules the next milestone of a flow: its last flit leaves the source, or arrives.
void Network::schedule(Id id) {
    Flow& flow = flows_[id];
    ++flow.version;
    double time;
    if (flow.at_source) {
        const double most = std::max(flow.most_buffered, flow.buffered);
        const double filling = flow.rate + flow.gain;
        time = filling > 0 ? (flow.left - flow.buffered) / filling : 0;
        if (flow.buffered + flow.gain * time > most || filling <= 0) {
            if (flow.rate <= 0 && most < flow.left) return;  // the buffers are full until it moves
            time = flow.rate > 0 ? (flow.left - most) / flow.rate : time;
        }
    } else {
        if (flow.rate <= 0) return;
        time = flow.left / flow.rate;
    }
    if (flow.scarce_later) time = std::min(time, (flow.left - flow.scarce_from) / flow.rate);
    events_.at(now_ + std::max(time, 0.0), flow_event | (flow.version & count_mask), id);
}

void Network::set_rate(Id id, double rate, std::uint16_t bottleneck) {
    Flow& flow = flows_[id];
    if (flow.rate == rate && flow.bottleneck == bottleneck) return;
    pass(flow);
    flow.rate = rate;
    flow.bottleneck = bottleneck;
    flow.gain = bottleneck > 0 ? std::max(0.0, 1 / flow.packet.source_cost - rate) : 0;
    flow.most_buffered = std::min(flow.packet.flits, buffers_.per_lane * bottleneck);
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
        mark_dirty(flows[i]);
        ++i;
    }
    if (shares_[share].blocked > max_harmless_) update_ceilings(shares_[share]);
}

void Network::milestone(Id id) {
    Flow& flow = flows_[id];
    pass(flow);
    if (flow.scarce_later && flow.left <= flow.scarce_from + 1e-6) {
        find_ceiling(flow);
        mark_dirty(id);
        schedule(id);
        return;
    }
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
        mark_dirty(id);
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
    release(flow, flow.moving ? 1 : std::max(1U, first_held_hop(flow)));
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
    release(flow, static_cast<std::uint32_t>(flow.packet.hops.size()));
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
            Flow& flow = flows_[event.argument];
            const bool head = (event.what & head_event) == head_event;
            if (((head ? flow.waits : flow.version) & count_mask) != (event.what & count_mask))
                continue;  // its wait has ended
            now_ = event.time;
            if (head)
                fill_buffers(flow, std::max(flow.held, first_held_hop(flow)), flow.next);
            else
                milestone(event.argument);
        } else {
            now_ = event.time;
            client_.timer(event.what, event.argument, now_);
        }
    }
}

}  // namespace ttsim::impl::noc
