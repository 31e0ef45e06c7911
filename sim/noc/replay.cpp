// Replay of traces: each processor issues its calls in order; trace.hpp describes the ordering.
#include "sim/noc/replay.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace ttsim::impl::noc {

namespace {

constexpr std::uint32_t none = ~0U;
/// Kinds of transactions that a barrier may wait for.
enum Kinds : std::size_t { reads, writes, atomics, kinds };

struct Group {  ///< the transactions of one kind between two barriers of that kind
    std::uint32_t open = 0, unsent = 0, process = 0;
    Time done = 0, departed = 0;
};

struct Barrier {
    std::array<std::uint32_t, kinds> groups = {none, none, none};
    std::uint32_t process = 0;
    Time start = 0;
    double recorded = 0;
};

class TraceReplay : private Fabric::Client {
public:
    /// Replays one chip of the trace.
    TraceReplay(const Trace& trace, std::size_t chip, const Topology& topology, const Constants& constants, Loop loop)
        : trace_(trace), chip_(chip), fabric_(topology, constants, *this), open_loop_(loop == Loop::Open) {
        processes_.resize(trace.processes.size());
        for (std::uint32_t i = 0; i < processes_.size(); ++i) {
            for (std::uint32_t& group : processes_[i].groups) group = add_group(i);
            if (trace.processes[i].chip == chip && !trace.processes[i].events.empty())
                fabric_.at(static_cast<Time>(trace.processes[i].events.front().time), step_event, i);
        }
    }

    ReplayResult run() {
        if (!fabric_.run()) throw Error(Fault::Hang, {}, "packets on the NoC wait for each other's virtual channels");
        if (open_loop_)
            for (const Barrier& barrier : barriers_) end_barrier(barrier, end_of(barrier));
        ReplayResult result;
        result.total_cycles = last_;
        result.golden_cycles = static_cast<double>(trace_.chips[chip_].recorded);
        result.barriers = summary_;
        if (summary_.recorded > 0) result.barriers.mean_error = 100 * error_ / summary_.recorded;
        result.barrier_times = std::move(barrier_times_);
        result.links = fabric_.link_use(last_);
        result.nius = fabric_.niu_use(last_);
        result.dram = fabric_.dram_use(last_);
        result.packets = fabric_.packets();
        result.events = fabric_.events();
        return result;
    }

private:
    enum : std::uint32_t { step_event };
    struct Process {
        std::size_t next = 0;  ///< index of the next event
        Time shift = 0;        ///< predicted minus recorded time
        std::array<std::uint32_t, kinds> groups{};
        bool waiting = false;  ///< waits for groups of the event `next`
        Time barrier_start = -1;
    };

    std::uint32_t add_group(std::uint32_t process) {
        groups_.push_back({0, 0, process, 0, 0});
        return static_cast<std::uint32_t>(groups_.size() - 1);
    }

    static std::array<bool, kinds> waits_for(Action action) {
        switch (action) {
            case Action::ReadBarrierEnd:
            case Action::ReadBarrier:
                return {true, false, false};
            case Action::WriteBarrierEnd:
            case Action::WriteBarrier:
            case Action::Flush:
                return {false, true, false};
            case Action::AtomicBarrier:
                return {false, false, true};
            case Action::FullBarrier:
                return {true, true, true};
            case Action::Read:
            case Action::Write:
            case Action::Multicast:
            case Action::Atomic:
            case Action::ReadBarrierStart:
            case Action::WriteBarrierStart:
            case Action::Mark:
            case Action::ZoneEnd:
                break;
        }
        return {};
    }
    static bool is_pair_end(Action action) {
        return action == Action::ReadBarrierEnd || action == Action::WriteBarrierEnd;
    }

    void timer(std::uint32_t, std::uint32_t index, Time) override { step(index); }

    void step(std::uint32_t index) {
        Process& process = processes_[index];
        const TraceProcess& recorded = trace_.processes[index];
        const TraceEvent& event = recorded.events[process.next];
        const Time now = fabric_.now();
        switch (event.action) {
            case Action::Read:
            case Action::Write:
            case Action::Multicast:
            case Action::Atomic:
                call(process, recorded, event);
                break;
            case Action::ReadBarrierStart:
            case Action::WriteBarrierStart:
                process.barrier_start = now;
                break;
            case Action::ReadBarrierEnd:
            case Action::WriteBarrierEnd:
            case Action::ReadBarrier:
            case Action::WriteBarrier:
            case Action::Flush:
            case Action::FullBarrier:
            case Action::AtomicBarrier:
                if (!pass_barrier(index, event)) return;
                break;
            case Action::Mark:
            case Action::ZoneEnd:
                break;
        }
        // in an open loop the ends of barriers are computed after the run; recorded ends are ignored
        if (event.action != Action::ZoneEnd && !(open_loop_ && is_pair_end(event.action))) last_ = std::max(last_, now);
        advance(index);
    }

    /// Schedules the event after this one.
    void advance(std::uint32_t index) {
        Process& process = processes_[index];
        const std::vector<TraceEvent>& events = trace_.processes[index].events;
        if (++process.next == events.size()) return;
        const TraceEvent& event = events[process.next];
        // the model determines the end of a barrier, so its event follows immediately after the start
        const bool at_once = event.action == Action::ZoneEnd || (!open_loop_ && is_pair_end(event.action));
        const Time planned = at_once ? 0 : static_cast<Time>(event.time) + process.shift;
        fabric_.at(std::max(planned, fabric_.now()), step_event, index);
    }

    void call(Process& process, const TraceProcess& recorded, const TraceEvent& event) {
        Transaction t;
        t.noc = event.noc;
        t.from = recorded.core;
        t.to = event.target;
        t.bytes = event.bytes;
        t.lane = event.lane;
        std::size_t kind = writes;
        if (event.action == Action::Read) {
            t.kind = Kind::Read;
            kind = reads;
        } else if (event.action == Action::Atomic) {
            t.kind = Kind::Atomic;
            kind = atomics;
        } else if (event.action == Action::Multicast) {
            t.kind = Kind::Multicast;
            trees_.push_back(fabric_.topology().tree(t.noc, t.from, event.first, event.last));
            t.tree = &trees_.back();
        } else {
            t.kind = Kind::Write;
        }
        t.tag = process.groups[kind];
        ++groups_[t.tag].open;
        if (kind == writes) ++groups_[t.tag].unsent;
        fabric_.issue(t);
    }

    bool complete(const Barrier& barrier, bool flush) const {
        for (const std::uint32_t group : barrier.groups)
            if (group != none && (flush ? groups_[group].unsent : groups_[group].open)) return false;
        return true;
    }

    Time end_of(const Barrier& barrier) const {
        Time end = barrier.start + fabric_.constants().trace_barrier;
        for (const std::uint32_t group : barrier.groups)
            if (group != none) end = std::max(end, groups_[group].done + fabric_.constants().trace_notice);
        return end;
    }

    /// Returns false when the processor must wait; step() is then called again after a completion.
    bool pass_barrier(std::uint32_t index, const TraceEvent& event) {
        Process& process = processes_[index];
        const Time now = fabric_.now();
        const bool pair = is_pair_end(event.action), flush = event.action == Action::Flush;
        Barrier barrier;
        barrier.process = index;
        if (process.barrier_start < 0) process.barrier_start = now;  // the trace has no start marker
        barrier.start = process.barrier_start;
        const auto kinds_waited = waits_for(event.action);
        for (std::size_t kind = 0; kind < kinds; ++kind)
            if (kinds_waited[kind]) barrier.groups[kind] = process.groups[kind];
        if (pair) {
            const std::vector<TraceEvent>& events = trace_.processes[index].events;
            barrier.recorded = process.next > 0 ? static_cast<double>(event.time - events[process.next - 1].time) : 0;
        }
        if (open_loop_) {
            if (pair) barriers_.push_back(barrier);
        } else {
            process.waiting = !complete(barrier, flush);
            if (process.waiting) return false;
            Time end = now;
            if (pair) end = end_of(barrier);
            if (!pair && !flush)
                for (const std::uint32_t group : barrier.groups)
                    if (group != none) end = std::max(end, groups_[group].done);
            if (end > now) {
                fabric_.at(end, step_event, index);
                return false;
            }
            if (pair) {
                end_barrier(barrier, now);
                process.shift = now - static_cast<Time>(event.time);
            }
        }
        process.barrier_start = -1;
        for (std::size_t kind = 0; kind < kinds; ++kind)
            if (kinds_waited[kind] && !flush) process.groups[kind] = add_group(index);
        return true;
    }

    void end_barrier(const Barrier& barrier, Time end) {
        ++summary_.count;
        summary_.recorded += barrier.recorded;
        summary_.predicted += end - barrier.start;
        error_ += std::abs(end - barrier.start - barrier.recorded);
        last_ = std::max(last_, end);
        const TraceProcess& process = trace_.processes[barrier.process];
        barrier_times_.push_back({chip_, fabric_.topology().coord(process.core), process.name, barrier.start,
                                  barrier.recorded, end - barrier.start});
    }

    void departed(std::uint32_t tag, Time) override {
        --groups_[tag].unsent;
        wake(groups_[tag].process);
    }

    void completed(std::uint32_t tag, Time, Time when) override {
        Group& group = groups_[tag];
        --group.open;
        group.done = std::max(group.done, when);
        last_ = std::max(last_, when);
        if (group.open == 0) wake(group.process);
    }

    void wake(std::uint32_t index) {
        if (!processes_[index].waiting) return;
        processes_[index].waiting = false;
        fabric_.at(fabric_.now(), step_event, index);
    }

    const Trace& trace_;
    const std::size_t chip_;
    Fabric fabric_;
    const bool open_loop_;
    std::vector<Process> processes_;
    std::vector<Group> groups_;
    std::vector<Barrier> barriers_;  // open loop only: ends are computed after the run
    std::deque<Topology::Tree> trees_;
    BarrierSummary summary_;
    std::vector<BarrierTime> barrier_times_;
    double error_ = 0;
    Time last_ = 0;
};

void add(BarrierSummary& sum, const BarrierSummary& other) {
    const double recorded = sum.recorded + other.recorded;
    if (recorded > 0) sum.mean_error = (sum.mean_error * sum.recorded + other.mean_error * other.recorded) / recorded;
    sum.count += other.count;
    sum.recorded = recorded;
    sum.predicted += other.predicted;
}

void add(Fabric::Use& use, const Fabric::Use& other, double share) {
    use.mean += other.mean * share;
    use.max = std::max(use.max, other.max);
}

}  // namespace

ReplayResult replay(const Trace& trace, const Topology& topology, const Constants& constants, Loop loop) {
    if (trace.chips.size() == 1) return TraceReplay(trace, 0, topology, constants, loop).run();
    ReplayResult all;
    all.golden_cycles = static_cast<double>(trace.recorded);
    if (trace.chips.empty()) return all;
    const double share = 1 / static_cast<double>(trace.chips.size());
    for (std::size_t chip = 0; chip < trace.chips.size(); ++chip) {
        const ReplayResult one = TraceReplay(trace, chip, topology, constants, loop).run();
        all.chips.push_back({trace.chips[chip].device, one.total_cycles, *one.golden_cycles});
        all.total_cycles = std::max(all.total_cycles, one.total_cycles);
        add(all.barriers, one.barriers);
        all.barrier_times.insert(all.barrier_times.end(), one.barrier_times.begin(), one.barrier_times.end());
        add(all.links, one.links, share);
        add(all.nius, one.nius, share);
        add(all.dram, one.dram, share);
        all.packets += one.packets;
        all.events += one.events;
    }
    return all;
}

}  // namespace ttsim::impl::noc
