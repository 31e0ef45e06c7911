#include "sim/memory/flit_noc.hpp"

namespace tt::sim {

namespace {

constexpr int along_x = 0, along_y = 1, way_out = 2;
/// Virtual channels of a link by class: four of requests, two of responses; the other half is for after the edge.
constexpr int first_vc(PacketClass kind) { return kind == PacketClass::Request ? 0 : 6; }
constexpr int vc_count(PacketClass kind) { return kind == PacketClass::Request ? 4 : 2; }
constexpr int beyond_edge = 8;

template <class T>
T& at(std::vector<T>& items, int index) {
    return items[static_cast<std::size_t>(index)];
}
template <class T>
const T& at(const std::vector<T>& items, int index) {
    return items[static_cast<std::size_t>(index)];
}

}  // namespace

FlitNoc::FlitNoc(int grid_x, int grid_y, int noc, const RouterLimits& limits, FlitSink& sink)
    : w_(grid_x), h_(grid_y), noc_(noc), limits_(limits), sink_(sink), first_source_(w_ * h_ * 2 * vcs) {
    const auto nodes = static_cast<std::size_t>(w_ * h_);
    lanes_.resize(nodes * 2 * (vcs + 1));
    pool_used_.resize(nodes * 2, 0);
    outputs_.resize(nodes * 3);
}

/// NoC 1 runs the other way round: with its coordinates mirrored, both run right and down.
int FlitNoc::node(NocCoord c) const { return noc_ == 0 ? c.y * w_ + c.x : (h_ - 1 - c.y) * w_ + (w_ - 1 - c.x); }

int FlitNoc::source(NocCoord from, PacketClass kind) const {
    return first_source_ + node(from) * 2 + static_cast<int>(kind);
}

int FlitNoc::node_of(int lane) const { return is_source(lane) ? (lane - first_source_) / 2 : lane / (2 * vcs); }

std::size_t FlitNoc::waiting(NocCoord from, PacketClass kind) const {
    return at(lanes_, source(from, kind)).packets.size();
}
void FlitNoc::limit(NocCoord from, PacketClass kind) { at(lanes_, source(from, kind)).limited = true; }
void FlitNoc::allow(NocCoord from, PacketClass kind, int flits) { at(lanes_, source(from, kind)).allowed += flits; }
int FlitNoc::allowed(NocCoord from, PacketClass kind) const { return at(lanes_, source(from, kind)).allowed; }

int FlitNoc::route(int from, int to) const {
    const bool x = from % w_ != to % w_, y = from / w_ != to / w_;
    if (noc_ == 0) return x ? along_x : y ? along_y : way_out;
    return y ? along_y : x ? along_x : way_out;
}

void FlitNoc::inject(const FlitPacket& what) {
    if (free_packets_.empty()) {
        free_packets_.push_back(static_cast<int>(packets_.size()));
        packets_.emplace_back();
    }
    const int id = free_packets_.back();
    free_packets_.pop_back();
    at(packets_, id) = {what, node(what.to)};
    const int lane = source(what.from, what.kind);
    at(lanes_, lane).packets.push_back(id);
    if (at(lanes_, lane).packet < 0) take_front(lane);
}

/// Makes the next packet of a lane the one in front, and lists the lane at the output it wants.
void FlitNoc::take_front(int index) {
    Lane& lane = at(lanes_, index);
    const bool empty = is_source(index) ? lane.packets.empty() : lane.count == 0;
    lane.packet = empty              ? -1
                  : is_source(index) ? lane.packets.front()
                                     : lane.flits[static_cast<std::size_t>(lane.first)].packet;
    lane.passed = 0;
    lane.next = -1;
    if (empty) return;
    const int here = node_of(index), wanted = here * 3 + route(here, at(packets_, lane.packet).to);
    Output& output = at(outputs_, wanted);
    output.lanes.push_back(index);
    if (!output.busy) busy_.push_back(wanted);
    output.busy = true;
}

bool FlitNoc::ready(const Lane& lane, bool from_source) const {
    if (from_source) return !lane.limited || lane.allowed > 0;
    return lane.count > 0 && lane.flits[static_cast<std::size_t>(lane.first)].ready <= now_;
}

bool FlitNoc::has_room(int index) const {
    const Lane& lane = at(lanes_, index);
    if (lane.used < limits_.own) return true;
    return at(pool_used_, index / vcs) < limits_.pool && lane.used - limits_.own < limits_.pool_per_vc;
}

/// The lane at the next router that a packet in front of `from` gets, or -1 when all it may have are taken.
int FlitNoc::choose_vc(int from, int out) const {
    const int here = node_of(from), x = here % w_, y = here / w_;
    const bool edge = out == along_x ? x + 1 == w_ : y + 1 == h_;
    const int to = out == along_x ? y * w_ + (x + 1) % w_ : (y + 1) % h_ * w_ + x;
    const bool same_way = !is_source(from) && from / vcs % 2 == out;
    const bool beyond = edge || (same_way && from % vcs >= beyond_edge);
    const FlitPacket& what = at(packets_, at(lanes_, from).packet).what;
    const int base = (to * 2 + out) * vcs + first_vc(what.kind) + (beyond ? beyond_edge : 0);
    const int count = vc_count(what.kind);
    if (what.fixed_vc >= 0) {
        const int lane = base + what.fixed_vc % count;
        return at(lanes_, lane).owner < 0 ? lane : -1;
    }
    const int start = static_cast<int>(now_ % static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i)
        if (const int lane = base + (start + i) % count; at(lanes_, lane).owner < 0) return lane;
    return -1;
}

bool FlitNoc::send(int index, int out) {
    Lane& lane = at(lanes_, index);
    if (lane.next < 0) {
        lane.next = choose_vc(index, out);
        if (lane.next < 0) return false;
        at(lanes_, lane.next).owner = lane.packet;
    }
    if (!has_room(lane.next)) return false;
    Lane& next = at(lanes_, lane.next);
    if (++next.used > limits_.own) ++at(pool_used_, lane.next / vcs);
    next.flits[static_cast<std::size_t>((next.first + next.count) % places)] = {
        lane.packet, now_ + static_cast<std::uint64_t>(limits_.hop - 1)};
    ++next.count;
    if (next.packet < 0) take_front(lane.next);
    return true;
}

bool FlitNoc::eject(int index, Output& output) {
    const Lane& lane = at(lanes_, index);
    const FlitPacket what = at(packets_, lane.packet).what;  // the sink may inject more
    int& entering = output.entering[static_cast<std::size_t>(what.kind)];
    if (entering != lane.packet) {
        if (entering >= 0 || !sink_.may_enter(what)) return false;
        entering = lane.packet;
    }
    const bool last = lane.passed + 1 == what.flits;
    if (!sink_.take(what, last)) return false;
    if (last) entering = -1;
    return true;
}

/// A flit of the lane's packet in front has gone.
void FlitNoc::leave(int index, bool ejected) {
    Lane& lane = at(lanes_, index);
    if (is_source(index)) {
        if (lane.limited) --lane.allowed;
    } else {
        lane.first = (lane.first + 1) % places;
        --lane.count;
        freed_.push_back(index);
    }
    if (++lane.passed < at(packets_, lane.packet).what.flits) return;
    if (ejected)
        free_packets_.push_back(lane.packet);
    else
        at(lanes_, lane.next).owner = -1;
    if (is_source(index)) lane.packets.pop_front();
    take_front(index);
}

void FlitNoc::serve(int index) {
    Output& output = at(outputs_, index);
    const int out = index % 3;
    const std::size_t n = output.lanes.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t turn = (output.turn + i) % n;
        const int lane = output.lanes[turn];
        if (!ready(at(lanes_, lane), is_source(lane))) continue;
        if (!(out == way_out ? eject(lane, output) : send(lane, out))) continue;
        const bool tail = at(lanes_, lane).passed + 1 == at(packets_, at(lanes_, lane).packet).what.flits;
        output.turn = turn + 1;
        if (tail) {
            output.lanes.erase(output.lanes.begin() + static_cast<std::ptrdiff_t>(turn));
            output.turn = turn;
        }
        leave(lane, out == way_out);
        return;
    }
}

void FlitNoc::step() {
    for (const int lane : freed_)
        if (at(lanes_, lane).used-- > limits_.own) --at(pool_used_, lane / vcs);
    freed_.clear();
    for (std::size_t i = 0; i < busy_.size();) {
        const int index = busy_[i];
        serve(index);
        if (at(outputs_, index).lanes.empty()) {
            at(outputs_, index).busy = false;
            busy_[i] = busy_.back();
            busy_.pop_back();
        } else {
            ++i;
        }
    }
    ++now_;
}

}  // namespace tt::sim
