// Extrapolation in the sequencer: skips repeated inputs of the epochs in flight and iterations of program loops.
#include <algorithm>
#include <set>

#include "sim/machine/sequencer.hpp"

namespace ttsim::impl::sim {

using Moment = QueueMemory::Moment;

/// Commands kept for comparison; longer loop iterations are not recognized.
static constexpr std::size_t max_iteration_commands = 65'536;

bool Sequencer::may_skip() const {
    const RunState& state = context_.state;
    return state.settings.mode == Mode::Timing && state.settings.extrapolate && !never_skip_ &&
           !state.input_record.any();  // some figures are recorded per input
}

void Sequencer::host_acted() {
    in_flight_history_.clear();
    quiescent_history_.clear();
}

std::vector<Epoch*> Sequencer::in_flight() const {
    std::vector<Epoch*> epochs;
    for (const Pending& pending : window_)
        if (pending.epoch) epochs.push_back(pending.epoch.get());
    return epochs;
}

/// Queues that change while the epochs in flight run: their own, and those of the host.
const std::vector<QueueMemory*>& Sequencer::moving_queues() {
    if (moving_at_ == generation_) return moving_;
    std::set<const Queue*> queues;  // of one vector, and so in file order
    for (const auto& [queue, port] : host_of_) queues.insert(queue);
    for (const Pending& pending : window_) {
        if (!pending.epoch) continue;
        for (const CommandUse::QueueMemory& memory : pending.use.queues) {
            queues.insert(memory.use.queue);
            queues.insert(memory.owner);
        }
    }
    moving_.clear();
    for (const Queue* queue : queues)
        if (const auto memory = context_.queues.find(queue); memory != context_.queues.end())
            moving_.push_back(memory->second.get());
    moving_at_ = generation_;
    return moving_;
}

void Sequencer::walk(StateWalk& walk, Moment moment) {
    walk.fixed(context_.queues.size());
    if (moment == Moment::InFlight)
        for (QueueMemory* memory : moving_queues()) memory->walk(walk, moment);
    else
        for (auto& [queue, memory] : context_.queues) memory->walk(walk, moment);
    for (auto& port : host_) port->walk(walk);
    context_.board.walk(walk);
    if (context_.probe) context_.probe->walk(walk);
}

// --- inputs of an epoch --------------------------------------------------------------------------------------------

void Sequencer::between_cycles() {
    constexpr std::uint64_t steps_between = 1024;  // a few milliseconds of host time
    if (steps_++ % steps_between == 0 && context_.state.settings.progress) report_progress();
    if (!context_.input_over) return;
    context_.input_over = false;
    if (!may_skip()) return;
    const std::vector<Epoch*> epochs = in_flight();
    if (epochs.empty()) return;
    std::vector<std::int64_t> over;
    bool more = false;
    for (Epoch* epoch : epochs) {
        over.push_back(epoch->count_inputs_over());
        if (over.back() == 0) return;  // it has not finished an input
        more = more || over.back() < epoch->inputs();
    }
    if (over == last_over_) return;
    last_over_ = over;
    if (!more) return;  // no input is left to skip
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

// --- iterations of a loop ------------------------------------------------------------------------------------------

Sequencer::Issued Sequencer::describe(const EpochCommand& command, const std::map<const Queue*, QueueAccess>& access,
                                      PointerTable& pointers) {
    Issued issued;
    if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
        for (const ExecuteCommand& member : launch->members) {
            issued.same.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(member.graph)));
            for (const QueueUse& use : pointers.uses(*member.graph)) {
                if (use.queue->type == QueueType::Ram) continue;  // rams are not synchronized
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

void Sequencer::log(std::size_t number, Issued issued) {
    if (!may_skip() || number < issued_from_) return;
    // commands are issued as soon as they may, and not always in program order
    if (number - issued_from_ >= issued_.size()) issued_.resize(number - issued_from_ + 1);
    issued_[number - issued_from_] = std::move(issued);
    for (; issued_.size() > max_iteration_commands; ++issued_from_) issued_.pop_front();
}

bool Sequencer::RemainingCommands::next(EpochCommand& command, Issued& issued) {
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

Sequencer::RemainingCommands Sequencer::remaining_commands() const {
    RemainingCommands all{{}, stream_, pointers_};
    for (const Pending& pending : window_)
        if (!pending.over) all.window.push_back(pending.command);
    return all;
}

/// Whether the graph that is launched next may be launched once more.
bool Sequencer::may_repeat(const Pending& launching) const {
    const Graph* const graph = std::get<EpochLaunch>(launching.command).members.front().graph;
    const auto launches = [&](const Pending& pending) {
        if (pending.over || &pending == &launching) return false;
        const auto* launch = std::get_if<EpochLaunch>(&pending.command);
        return launch && std::any_of(launch->members.begin(), launch->members.end(),
                                     [&](const ExecuteCommand& member) { return member.graph == graph; });
    };
    return std::any_of(window_.begin(), window_.end(), launches) || stream_.may_launch(*graph);
}

/// Number of times, at most `most`, that the commands between two points repeat in the remaining commands. Entry
/// numbers must advance by the same step each time.
std::int64_t Sequencer::count_identical_rounds(const QuiescentPoint& from, const QuiescentPoint& to,
                                               std::int64_t most) const {
    const std::size_t iteration_commands = to.commands - from.commands;
    if (iteration_commands == 0 || from.commands < issued_from_) return 0;
    const std::size_t first = from.commands - issued_from_;
    TT_CHECK(first + iteration_commands <= issued_.size(), "{} commands from {} were issued", iteration_commands,
             first);
    const auto at = [](const Popped& popped, const Queue* queue) {
        const auto it = popped.find(queue);
        return it == popped.end() ? 0 : it->second;
    };
    RemainingCommands ahead = remaining_commands();
    EpochCommand command;
    Issued next;
    for (std::int64_t iterations = 0; iterations < most; ++iterations)
        for (std::size_t n = 0; n < iteration_commands; ++n) {
            if (!ahead.next(command, next)) return iterations;
            const Issued& model = issued_[first + n];
            if (next.same != model.same || next.entries.size() != model.entries.size()) return iterations;
            for (std::size_t e = 0; e < next.entries.size(); ++e) {
                const auto [queue, entry] = next.entries[e];
                const std::int64_t a = at(from.popped, queue), b = at(to.popped, queue);
                if (queue != model.entries[e].first ||
                    entry - (b + iterations * (b - a)) != model.entries[e].second - a)
                    return iterations;
            }
        }
    return most;
}

/// Limits the periods to the loop iterations with identical commands. If there are none, compares again only after many
/// more commands: the state may repeat for long while the remaining commands differ.
void Sequencer::limit_to_commands(StateWalk& limit, const QuiescentPoint& from, const QuiescentPoint& to) {
    constexpr std::size_t commands_per_compared = 16;
    if (to.commands < compare_from_) return limit.limit(0);
    limit.limit(count_identical_rounds(from, to, static_cast<std::int64_t>(limit.periods())));
    if (limit.periods() == 0) compare_from_ = to.commands + commands_per_compared * (to.commands - from.commands);
}

/// Marks `count` commands from this point on as executed and moves the pointers. The caller advances the state of the
/// machine.
void Sequencer::consume_commands(const QuiescentPoint& from, std::size_t count) {
    RemainingCommands ahead = remaining_commands();
    EpochCommand command;
    Issued issued;
    for (std::size_t n = 0; n < count; ++n) TT_CHECK(ahead.next(command, issued), "command {} of {}", n, count);
    issued_.clear();
    issued_from_ = next_number_ = from.commands + count;
    stream_ = std::move(ahead.stream);
    pointers_ = std::move(ahead.pointers);
    window_.clear();
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
        walk.total(graph.math_cycles);
        walk.total(graph.core_cycles);
        walk.total(graph.last_end);
        for (OpReport& op : graph.ops) {
            walk.total(op.tiles);
            walk.total(op.busy_cycles);
            walk.total(op.last_cycle);
        }
    }
    if (std::optional<TrainingUse>& training = context_.state.report.training)
        for (EpochTypeUse& use : training->types) {
            walk.total(use.epochs);
            for (std::uint64_t* sum : {&use.cycles, &use.math_cycles, &use.core_cycles, &use.chip_cycles})
                walk.total(*sum);
        }
    walk.total(inputs_done_);
    walk.total(context_.state.report.load_cycles);
    walk.total(context_.state.report.last_pop);
}

/// Whether this launch is the first one of an iteration of a loop, with all commands before it over. Programs repeat in
/// whole iterations, so states in between need no comparison. Outside of loops every launch counts as an iteration.
bool Sequencer::begins_iteration(const Pending& launching) const {
    const auto* launch = std::get_if<EpochLaunch>(&launching.command);
    if (!launch || (launch->iteration() != 0 && launch->iteration() == launched_iteration_)) return false;
    bool before = true;
    for (const Pending& pending : window_) {
        if (&pending == &launching) before = false;
        if (pending.epoch || pending.over != before) return false;
    }
    return true;
}

/// Whether the state at the beginning of the present iteration is worth its comparison: all of the first ones, and
/// fewer and fewer while none was equal to an earlier one.
bool Sequencer::due_for_comparison() {
    constexpr std::uint64_t per_step = 64;
    const std::uint64_t step = std::uint64_t{1} << std::min<std::uint64_t>(iterations_compared_ / per_step, 12);
    if (iterations_over_++ % step != 0) return false;
    ++iterations_compared_;
    return true;
}

/// Called before the first launch of an iteration. If the state equals an earlier one, the iterations repeat while the
/// remaining commands are the same. Returns whether some were skipped; `launching` does not exist then.
bool Sequencer::skip_loop_iterations(const Pending& launching) {
    if (!may_skip() || !may_repeat(launching) || !due_for_comparison()) return false;
    QuiescentPoint present{launching.number, {}};
    for (const auto& [queue, memory] : context_.queues) present.popped[queue] = memory->popped();
    const Graph* const graph = std::get<EpochLaunch>(launching.command).members.front().graph;
    const auto walk_all = [&](StateWalk& walk) {
        walk.fixed(graph);
        this->walk(walk, Moment::Quiescent);
        walk_reports(walk);
    };
    StateWalk save(context_.now);
    walk_all(save);
    Snapshot snapshot = save.take();
    if (const auto* before = quiescent_history_.find(snapshot)) {
        // The state is compared first, at constant cost; comparing commands costs time per command.
        StateWalk limit(before->snapshot, snapshot);
        walk_all(limit);
        if (limit.periods() > 0) limit_to_commands(limit, before->mark, present);
        if (limit.periods() > 0) {
            ++generation_;
            consume_commands(present, (present.commands - before->mark.commands) * limit.periods());
            StateWalk advance(before->snapshot, snapshot, limit.periods());
            const std::int64_t inputs_before = inputs_done_;
            walk_all(advance);
            context_.state.report.inputs_skipped += inputs_done_ - inputs_before;
            context_.board.clock().skip(advance.cycles());
            quiescent_history_.clear();
            iterations_compared_ = iterations_over_ = 0;
            return true;
        }
    }
    quiescent_history_.add(std::move(snapshot), std::move(present));
    return false;
}

}  // namespace ttsim::impl::sim
