#include "sim/machine/probe.hpp"

#include <algorithm>

namespace tt::sim {

void FlowProbe::sent(Cycle now, Cycle arrival, std::uint64_t size, std::int64_t input) {
    charge(now);
    why_ = Wait::None;
    ++chunks;
    bytes += size;
    first_sent = std::min(first_sent, now);
    in_flight += arrival - now;
    in_flight_.push_back(now);
    if (!wants_events) return;
    if (open_.events.empty() || open_.input != input) {
        close();
        open_.input = input;
        open_.start = now;
    }
    open_.events.push_back({now - open_.start, arrival - open_.start, 0, 0});
}

void FlowProbe::close() {
    if (!open_.events.empty()) append(inputs, std::move(open_));
    open_ = {};
}

bool CoreProbe::Input::same_as(const Input& other) const {
    return end - start == other.end - other.start && first_unpack - start == other.first_unpack - other.start &&
           last_pack - start == other.last_pack - other.start && spent == other.spent && tiles == other.tiles &&
           steps == other.steps && math == other.math && events == other.events;
}

/// Accounts for the time up to `now`, in which whatever the core waited for has come.
void CoreProbe::charge(Cycle now) {
    const Cycle from = since_;
    since_ = now;
    if (now == from) return;
    if (for_room_) {
        // First it waits for its own packer, then for those behind it, then for the transfer that makes room.
        const Cycle packed = std::clamp(packed_, from, now);
        const Cycle sent = released_by_ ? std::clamp(released_by_->last_sent(), packed, now) : now;
        waited_[Pack] += packed - from;
        waited_[Room] += sent - packed;
        waited_[Output] += now - sent;
    } else if (pipe_) {
        const Cycle sent = std::clamp(pipe_->last_sent(), from, now);
        waited_[Source] += sent - from;
        waited_[memory_ ? Dram : Noc] += now - sent;
    }
}

void CoreProbe::step(const Step& step) {
    if (!open_ && inputs.empty())
        since_ = step.start, waited_ = {};  // the op begins
    else
        charge(step.start);
    for_room_ = false;
    pipe_ = nullptr;
    released_by_ = nullptr;
    if (step.first || !open_) {
        const Cycle start = open_ ? now_.end : step.start;
        finish_input();
        open_ = true;
        now_.input = step.input;
        now_.start = start;
        now_.first_unpack = step.start;
        now_.last_pack = step.start;
    }
    for (std::size_t part = 0; part < parts; ++part) now_.spent[part] += waited_[part];
    waited_ = {};
    now_.spent[step.math >= step.unpack ? MathBound : UnpackBound] += step.work_end - step.start;
    now_.spent[Pack] += step.next_start - step.work_end;
    now_.math += step.engaged;
    now_.tiles += step.tiles;
    ++now_.steps;
    now_.end = since_ = step.next_start;
    packed_ = step.pack_end;
    if (step.tiles > 0) now_.last_pack = step.pack_end;
    if (wants_events)
        now_.events.push_back({step.start - now_.start, step.work_end - step.start, step.next_start - step.work_end,
                               step.pack_end - now_.start});
}

void CoreProbe::finish_input() {
    if (!open_) return;
    append(inputs, std::move(now_));
    now_ = {};
    open_ = false;
}

void CoreProbe::close() {
    if (!open_) return;
    if (now_.last_pack > now_.end) {
        now_.spent[Drain] += now_.last_pack - now_.end;
        now_.end = now_.last_pack;
    }
    finish_input();
}

void Load::fold() {
    for (std::size_t i = 0; i < busy_in_.size(); i += 2) busy_in_[i / 2] = busy_in_[i] + busy_in_[i + 1];
    std::fill(busy_in_.begin() + buckets_at_most / 2, busy_in_.end(), 0);
    ++shift_;
}

void Load::add_elsewhere(Cycle start, Cycle length) {
    if (length == 0) return;
    if (busy_in_.empty()) busy_in_.resize(buckets_at_most);
    if (busy_ > 0) busy_in_[from_ >> shift_] += busy_;
    busy_ = 0;
    const Cycle end = start + length;
    while (((end - 1) >> shift_) >= buckets_at_most) fold();
    while (start < end) {
        const std::size_t bucket = start >> shift_;
        from_ = bucket << shift_;
        to_ = from_ + (Cycle{1} << shift_);
        const Cycle next = std::min(end, to_);
        busy_in_[bucket] += next - start;
        start = next;
    }
}

std::vector<Cycle> Load::busy_in(unsigned shift, Cycle cycles) const {
    std::vector<Cycle> wide((cycles >> shift) + 1, 0);
    const auto add = [&](Cycle at, Cycle busy) { wide[std::min(at >> shift, wide.size() - 1)] += busy; };
    for (std::size_t i = 0; i < busy_in_.size(); ++i) add(i << shift_, busy_in_[i]);
    add(from_, busy_);
    return wide;
}

}  // namespace tt::sim
