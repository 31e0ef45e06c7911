#include "sim/machine/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ttsim::impl::sim {

void FlowProbe::add_event(Cycle now, Cycle arrival, std::int64_t input) {
    Input& open = events->open;
    if (open.events.empty() || open.input != input) {
        events->finish_input();
        open.input = input;
        open.start = now;
    }
    open.events.add({now - open.start, arrival - open.start, 0, 0});
}

void FlowProbe::EventLog::finish_input() {
    if (!open.events.empty()) {
        inputs.append(std::move(open));
        ++inputs_over;
    }
    open = {};
}

void FlowProbe::close() {
    if (!events) return;
    events->finish_input();
    events->inputs.close();
}

/// Hash of several numbers in one word; the products are independent, so it is fast. Only for state that affects
/// nothing but the trace.
template <std::size_t n>
static std::uint64_t digest(const std::array<std::uint64_t, n>& numbers) {
    std::uint64_t sum = 0, factor = 0x9e3779b97f4a7c15U;
    for (const std::uint64_t number : numbers) {
        sum += number * factor;
        factor = factor * 0x5851f42d4c957f2dU + 2;  // stays odd
    }
    return sum;
}

void Events::add(const std::array<Cycle, 4>& event) {
    list_.push_back(event);
    hash_ = hash_ * 0x100000001b3U + digest(event);
}

void FlowProbe::walk(StateWalk& walk, const StateWalk::Scope& scope) {
    walk.fixed(static_cast<int>(why_));
    if (why_ != Wait::None)
        walk.moment(since_);
    else
        walk.time(since_);
    walk.launch_mark(first_sent);
    walk.launch_time(last_sent_);
    walk.launch_time(last_arrival_);
    walk.launch_sum(chunks);
    walk.launch_sum(in_flight);
    // Cycles without a wait are not reported. They begin at cycle 0 when a queue changes while the kernels are loading.
    if (!walk.over_iterations()) walk.total(waited[0]);
    for (std::size_t why = 1; why < waited.size(); ++why) walk.launch_sum(waited[why]);
    if (!events) return;
    events->inputs.walk(walk, events->inputs_over);
    walk.fixed(events->open.events.hash());
    if (events->open.events.empty()) return;
    walk.count(events->open.input, 1, scope);
    walk.moment(events->open.start);
}

bool CoreProbe::Input::same_as(const Input& other) const {
    return end - start == other.end - other.start && first_unpack - start == other.first_unpack - other.start &&
           last_pack - start == other.last_pack - other.start && spent == other.spent && tiles == other.tiles &&
           steps == other.steps && math == other.math && events == other.events;
}

std::uint64_t CoreProbe::Input::digest() const {
    return impl::sim::digest(std::array<std::uint64_t, 7>{
        end - start, first_unpack - start, last_pack - start, impl::sim::digest(spent),
        static_cast<std::uint64_t>(tiles), static_cast<std::uint64_t>(steps), math + 31 * events.hash()});
}

/// Accounts for the waiting time up to `now`, when the wait ended.
void CoreProbe::charge(Cycle now) {
    const Cycle from = since_;
    since_ = now;
    if (now == from) return;
    has_waited_ = true;
    if (output_blocked_) {
        // The wait has three parts: own packer, consumers that have not read, transfer that frees the room.
        const Cycle packed = std::clamp(packed_, from, now);
        const Cycle sent = released_by_ ? std::clamp(released_by_->last_send(), packed, now) : now;
        waited_[Pack] += packed - from;
        waited_[Room] += sent - packed;
        waited_[Output] += now - sent;
    } else if (pipe_) {
        const Cycle sent = std::clamp(pipe_->last_send(), from, now);
        waited_[Source] += sent - from;
        waited_[pipe_->memory ? Dram : Noc] += now - sent;
    }
}

void CoreProbe::step(const Step& step) {
    if (!open_ && inputs.empty())
        since_ = step.start, waited_ = {};  // first step of the op
    else
        charge(step.start);
    output_blocked_ = false;
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
    if (has_waited_) {
        for (std::size_t part = 0; part < parts; ++part) now_.spent[part] += waited_[part];
        waited_ = {};
        has_waited_ = false;
    }
    now_.spent[step.math >= step.unpack ? MathBound : UnpackBound] += step.work_end - step.start;
    now_.spent[Dst] += step.next_start - step.work_end;
    now_.math += step.math_busy;
    now_.tiles += step.tiles;
    ++now_.steps;
    now_.end = since_ = step.next_start;
    packed_ = step.pack_end;
    if (step.tiles > 0) now_.last_pack = step.pack_end;
    if (wants_events)
        now_.events.add({step.start - now_.start, step.work_end - step.start, step.next_start - step.work_end,
                         step.pack_end - now_.start});
}

void CoreProbe::finish_input() {
    if (!open_) return;
    inputs.append(std::move(now_));
    ++inputs_over_;
    now_ = {};
    open_ = false;
}

void CoreProbe::close() {
    if (open_ && now_.last_pack > now_.end) {
        now_.spent[Drain] += now_.last_pack - now_.end;
        now_.end = now_.last_pack;
    }
    finish_input();
    inputs.close();
}

void CoreProbe::walk(StateWalk& walk, const StateWalk::Scope& scope) {
    walk.fixed(open_);
    inputs.walk(walk, inputs_over_);
    if (!open_) {  // no step has begun
        if (walk.advancing()) since_ += walk.cycles();
        return;
    }
    walk.moment(since_);
    walk.fixed(pipe_);
    walk.fixed(released_by_);
    walk.launch_sum(arrived_);
    walk.count(now_.input, 1, scope);
    if (walk.saving()) {
        const auto& s = now_.spent;
        const auto& w = waited_;
        static_assert(parts == 10);
        walk.fixed(digest(std::array<std::uint64_t, 26>{since_ - now_.start,
                                                        since_ - now_.end,
                                                        since_ - now_.first_unpack,
                                                        since_ - now_.last_pack,
                                                        s[0],
                                                        s[1],
                                                        s[2],
                                                        s[3],
                                                        s[4],
                                                        s[5],
                                                        s[6],
                                                        s[7],
                                                        s[8],
                                                        s[9],
                                                        w[Source],
                                                        w[Noc],
                                                        w[Dram],
                                                        w[Room],
                                                        w[Output],
                                                        w[Pack],
                                                        static_cast<std::uint64_t>(now_.tiles),
                                                        static_cast<std::uint64_t>(now_.steps),
                                                        now_.math,
                                                        now_.events.hash(),
                                                        since_ - packed_,
                                                        output_blocked_}));
    }
    if (walk.advancing()) {
        now_.move_by(walk.cycles());
        packed_ += walk.cycles();
    }
}

void Load::fold() {
    for (std::size_t i = 0; i < busy_in_.size(); i += 2) busy_in_[i / 2] = busy_in_[i] + busy_in_[i + 1];
    std::fill(busy_in_.begin() + max_buckets / 2, busy_in_.end(), 0);
    ++shift_;
}

void Load::add_to_buckets(Cycle start, Cycle length) {
    if (length == 0) return;
    if (busy_in_.empty()) busy_in_.resize(max_buckets);
    flush();
    const Cycle end = start + length;
    while (((end - 1) >> shift_) >= max_buckets) fold();
    while (start < end) {
        const std::size_t bucket = start >> shift_;
        from_ = bucket << shift_;
        to_ = from_ + (Cycle{1} << shift_);
        const Cycle next = std::min(end, to_);
        busy_in_[bucket] += next - start;
        flushed_ += next - start;
        start = next;
    }
}

/// Adds the cycles of the current bucket to busy_in_.
void Load::flush() {
    if (busy_ == 0) return;
    busy_in_[from_ >> shift_] += busy_;
    flushed_ += busy_;
    busy_ = 0;
}

/// Spreads `busy` cycles evenly over `cycles`, since their exact times are unknown.
void Load::add_evenly(Cycle start, Cycle cycles, Cycle busy) {
    if (busy == 0) return;
    flush();
    const Cycle end = start + cycles;
    while (((end - 1) >> shift_) >= max_buckets) fold();
    from_ = to_ = 0;                    // the current bucket may have been merged
    const auto until = [&](Cycle at) {  // busy cycles before `at`
        return static_cast<Cycle>(static_cast<double>(busy) *
                                  (static_cast<double>(at - start) / static_cast<double>(cycles)));
    };
    for (Cycle at = start; at < end;) {
        const Cycle next = std::min(end, ((at >> shift_) + 1) << shift_);
        busy_in_[at >> shift_] += (next == end ? busy : until(next)) - until(at);
        at = next;
    }
    flushed_ += busy;
}

void Load::walk(StateWalk& walk) {
    walk.total(transfers);
    walk.total(bytes_passed);
    walk.total(queueing);
    Cycle busy = flushed_ + busy_;
    const auto growth = static_cast<Cycle>(walk.total(busy));
    if (walk.advancing()) add_evenly(walk.now(), walk.cycles(), growth * walk.periods());
}

std::vector<Cycle> Load::busy_in(unsigned shift, Cycle cycles) const {
    std::vector<Cycle> wide((cycles >> shift) + 1, 0);
    const auto add = [&](Cycle at, Cycle busy) { wide[std::min(at >> shift, wide.size() - 1)] += busy; };
    for (std::size_t i = 0; i < busy_in_.size(); ++i) add(i << shift_, busy_in_[i]);
    add(from_, busy_);
    return wide;
}

CoreProbe::Input CoreProbe::totals() const {
    Input sum;
    const auto add = [&sum](const Input& input, std::int64_t times) {
        const auto often = static_cast<Cycle>(times);
        for (std::size_t part = 0; part < parts; ++part) sum.spent[part] += input.spent[part] * often;
        sum.math += input.math * often;
        sum.tiles += input.tiles * times;
        sum.steps += input.steps * times;
    };
    inputs.each(add);
    if (open_) add(now_, 1);
    for (std::size_t part = 0; part < parts; ++part) sum.spent[part] += waited_[part];
    return sum;
}

std::string kind_name(ResourceName::Kind kind) {
    switch (kind) {
        case ResourceName::Kind::NocLink:
            return "noc";
        case ResourceName::Kind::Dram:
            return "dram";
        case ResourceName::Kind::Pcie:
            return "pcie";
        case ResourceName::Kind::Ethernet:
            return "ethernet";
    }
    return "";
}

std::string direction(const ResourceName& name) {
    if (*name.part != 0) return name.part;  // the NIU port into or out of its router
    if (name.vertical) return name.noc == 0 ? "down" : "up";
    return name.noc == 0 ? "right" : "left";
}

std::string resource_text(const ResourceName& name) {
    const bool link = name.kind == ResourceName::Kind::NocLink, ethernet = name.kind == ResourceName::Kind::Ethernet;
    std::string text = fmt::format("chip {} {}", name.chip, kind_name(name.kind));
    if (link) text += fmt::format("{} {}-{} {}", name.noc, name.x, name.y, direction(name));
    if (ethernet || name.kind == ResourceName::Kind::Dram) text += fmt::format(" {}", name.channel);
    if (ethernet) text += fmt::format(" to chip {}", name.to_chip);
    if (*name.part != 0 && !link) text += fmt::format(" {}", name.part);
    return text;
}

}  // namespace ttsim::impl::sim
