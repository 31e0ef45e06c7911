// How the sequencer skips what repeats: inputs of the epochs in flight, and rounds of a program's loop between them.
#include <algorithm>

#include "sim/machine/sequencer.hpp"

namespace ttsim::impl::sim {

using Moment = QueueMemory::Moment;

/// Commands kept for comparison: a longer round of a loop is not recognised.
static constexpr std::size_t longest_round = 4096;

bool Sequencer::may_skip() const {
    const RunState& state = context_.state;
    return state.settings.mode == Mode::Timing && state.settings.extrapolate && !never_skip_ &&
           !state.input_record.any();  // some figures are of single inputs
}

void Sequencer::host_acted() {
    in_flight_history_.clear();
    settled_history_.clear();
}

std::vector<Epoch*> Sequencer::in_flight() const {
    std::vector<Epoch*> epochs;
    for (const Pending& pending : window_)
        if (pending.epoch) epochs.push_back(pending.epoch.get());
    return epochs;
}

void Sequencer::walk(StateWalk& walk, Moment moment) {
    walk.fixed(context_.queues.size());
    for (auto& [queue, memory] : context_.queues) memory->walk(walk, moment);
    for (auto& port : host_) port->walk(walk);
    context_.board.walk(walk);
    if (context_.probe) context_.probe->walk(walk);
}

// --- inputs of an epoch --------------------------------------------------------------------------------------------

void Sequencer::between_cycles() {
    constexpr std::uint64_t steps_between = 1024;  // few milliseconds
    if (steps_++ % steps_between == 0 && context_.state.settings.progress) tell_progress();
    if (!context_.input_over) return;
    context_.input_over = false;
    if (!may_skip()) return;
    const std::vector<Epoch*> epochs = in_flight();
    if (epochs.empty()) return;
    std::vector<std::int64_t> over;
    bool more = false;
    for (Epoch* epoch : epochs) {
        over.push_back(epoch->count_inputs_over());
        if (over.back() == 0) return;  // it has not begun
        more = more || over.back() < epoch->inputs();
    }
    if (over == last_over_) return;
    last_over_ = over;
    if (!more) return;  // a walk costs more than a small epoch
    const auto walk_all = [&](StateWalk& walk) {
        walk.fixed(generation_);
        for (Epoch* epoch : epochs) epoch->walk(walk);
        this->walk(walk, Moment::InFlight);
    };
    StateWalk save(context_.now);
    walk_all(save);
    if (!save.comparable()) return;
    Snapshot present = save.take();
    if (const auto* before = in_flight_history_.find(present)) {
        for (std::size_t e = 0; e < epochs.size(); ++e) epochs[e]->set_period(over[e] - before->mark[e]);
        StateWalk limit(before->snapshot, present);
        walk_all(limit);
        if (limit.periods() > 0 && over != before->mark) {
            StateWalk advance(before->snapshot, present, limit.periods());
            walk_all(advance);
            context_.board.clock().skip(advance.cycles());
            for (std::size_t e = 0; e < epochs.size(); ++e)
                context_.state.report.inputs_skipped +=
                    (over[e] - before->mark[e]) * static_cast<std::int64_t>(advance.periods());
            in_flight_history_.clear();
            return;
        }
    }
    in_flight_history_.add(std::move(present), std::move(over));
}

// --- rounds of a loop ----------------------------------------------------------------------------------------------

Sequencer::Issued Sequencer::describe(const EpochCommand& command, const std::map<const Queue*, QueueAccess>& access,
                                      PointerTable& pointers) {
    Issued issued;
    if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
        for (const ExecuteCommand& member : launch->members) {
            issued.same.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(member.graph)));
            for (const QueueUse& use : pointers.uses(*member.graph)) {
                if (use.queue->type == QueueType::Ram) continue;  // its slots are always there
                if (use.read) issued.entries.emplace_back(use.queue, access.at(use.queue).read_first);
                if (use.written) issued.entries.emplace_back(use.queue, access.at(use.queue).write_first);
            }
        }
        issued.same.push_back(launch->inputs);
        for (const auto& [queue, a] : access) {
            for (const bool flag : {a.prologue, a.epilogue, a.zero}) issued.same.push_back(flag);
            for (const std::int64_t step : {a.read_step, a.write_step, a.pop_step}) issued.same.push_back(step);
        }
    } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
        issued.same.push_back(static_cast<std::int64_t>(move->pointer));
        if (move->queue->type == QueueType::Queue)
            issued.entries.emplace_back(move->queue, pointers.at(*move->queue).popped());
    } else {
        issued.same.push_back(static_cast<std::int64_t>(std::get<AllocateCommand>(command).allocate));
    }
    return issued;
}

void Sequencer::log(Issued issued) {
    ++commands_;
    if (!may_skip()) return;
    issued_.push_back(std::move(issued));
    if (issued_.size() > longest_round) issued_.pop_front();
}

bool Sequencer::ToCome::next(EpochCommand& command, Issued& issued) {
    if (!window.empty()) {
        command = std::move(window.front());
        window.pop_front();
    } else if (!stream.next(command)) {
        return false;
    }
    std::map<const Queue*, QueueAccess> access;
    if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
        access = pointers.launch(*launch);
        pointers.finish(access, launch->input_count());
    } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
        pointers.move(*move);
    } else {
        pointers.allocate(std::get<AllocateCommand>(command));
    }
    issued = describe(command, access, pointers);
    return true;
}

Sequencer::ToCome Sequencer::to_come() const {
    ToCome all{{}, stream_, pointers_};
    for (const Pending& pending : window_)
        if (!pending.over) all.window.push_back(pending.command);
    return all;
}

/// Whether all commands before the first open one are over, and none after it: then only those to come matter.
bool Sequencer::settled() const {
    bool open = false;
    for (const Pending& pending : window_) {
        if (pending.epoch || (open && pending.over)) return false;
        open = open || !pending.over;
    }
    return true;
}

/// Whether any epoch is still to begin; else there is nothing to skip, as at the end of a call of a session.
bool Sequencer::more_launches() const {
    return !at_end_ || std::any_of(window_.begin(), window_.end(), [](const Pending& pending) {
        return !pending.over && std::holds_alternative<EpochLaunch>(pending.command);
    });
}

/// How many times the commands between two moments come again, entry numbers moved on each time by what they moved
/// between the two; at most `most`, since nobody skips more.
std::int64_t Sequencer::rounds_alike(const Settled& from, const Settled& to, std::int64_t most) const {
    const std::size_t round = to.commands - from.commands;
    if (round == 0 || commands_ - from.commands > issued_.size()) return 0;
    const std::size_t first = issued_.size() - (commands_ - from.commands);
    const auto at = [](const Popped& popped, const Queue* queue) {
        const auto it = popped.find(queue);
        return it == popped.end() ? 0 : it->second;
    };
    ToCome ahead = to_come();
    EpochCommand command;
    Issued next;
    for (std::int64_t rounds = 0; rounds < most; ++rounds)
        for (std::size_t n = 0; n < round; ++n) {
            if (!ahead.next(command, next)) return rounds;
            const Issued& model = issued_[first + n];
            if (next.same != model.same || next.entries.size() != model.entries.size()) return rounds;
            for (std::size_t e = 0; e < next.entries.size(); ++e) {
                const auto [queue, entry] = next.entries[e];
                const std::int64_t a = at(from.popped, queue), b = at(to.popped, queue);
                if (queue != model.entries[e].first || entry - (b + rounds * (b - a)) != model.entries[e].second - a)
                    return rounds;
            }
        }
    return most;
}

/// No more periods than rounds of commands that are alike. If there is none, the comparison is not tried again before
/// many more commands have been simulated: moments may look alike for ever where the commands to come differ.
void Sequencer::limit_to_commands(StateWalk& limit, const Settled& from, const Settled& to) {
    constexpr std::size_t commands_per_compared = 16;
    if (commands_ < compare_from_) return limit.limit(0);
    limit.limit(rounds_alike(from, to, static_cast<std::int64_t>(limit.periods())));
    if (limit.periods() == 0) compare_from_ = commands_ + commands_per_compared * (to.commands - from.commands);
}

/// The commands count as executed: pointers move, the machine has been walked to where it is then.
void Sequencer::take_commands(std::size_t count) {
    ToCome ahead = to_come();
    EpochCommand command;
    Issued issued;
    for (std::size_t n = 0; n < count; ++n) TT_CHECK(ahead.next(command, issued), "command {} of {}", n, count);
    commands_ += count;
    issued_.clear();
    stream_ = std::move(ahead.stream);
    pointers_ = std::move(ahead.pointers);
    std::erase_if(window_, [](const Pending& pending) { return !pending.over; });
    for (EpochCommand& left : ahead.window) add_to_window(std::move(left));
}

void Sequencer::walk_reports(StateWalk& walk) {
    std::vector<GraphReport>& graphs = context_.state.report.graphs;
    walk.fixed(graphs.size());
    for (GraphReport& graph : graphs) {
        walk.total(graph.executes);
        walk.total(graph.inputs);
        walk.total(graph.cycles);
        walk.total(graph.active_cycles);
        walk.total(graph.last_end);
        for (OpReport& op : graph.ops) {
            walk.total(op.tiles);
            walk.total(op.busy_cycles);
            walk.total(op.last_cycle);
        }
    }
    walk.total(inputs_done_);
    walk.total(context_.state.report.load_cycles);
}

/// An epoch has ended. If none is in flight and all is as it was an earlier time, the rounds of commands that follow
/// are those that followed then, as far as the commands to come are the same.
void Sequencer::skip_rounds(const Epoch& ended) {
    if (!may_skip() || !settled() || !more_launches()) return;
    Settled present{commands_, {}};
    for (const auto& [queue, memory] : context_.queues) present.popped[queue] = memory->popped();
    const auto walk_all = [&](StateWalk& walk) {
        walk.fixed(&ended.plan());
        this->walk(walk, Moment::Settled);
        walk_reports(walk);
    };
    StateWalk save(context_.now);
    walk_all(save);
    Snapshot snapshot = save.take();
    if (const auto* before = settled_history_.find(snapshot)) {
        // The state first: it costs the same every time, commands as much as there are to compare.
        StateWalk limit(before->snapshot, snapshot);
        walk_all(limit);
        if (limit.periods() > 0) limit_to_commands(limit, before->mark, present);
        if (limit.periods() > 0) {
            take_commands((present.commands - before->mark.commands) * limit.periods());
            StateWalk advance(before->snapshot, snapshot, limit.periods());
            const std::int64_t inputs_before = inputs_done_;
            walk_all(advance);
            context_.state.report.inputs_skipped += inputs_done_ - inputs_before;
            context_.board.clock().skip(advance.cycles());
            settled_history_.clear();
            return;
        }
    }
    settled_history_.add(std::move(snapshot), std::move(present));
}

}  // namespace ttsim::impl::sim
