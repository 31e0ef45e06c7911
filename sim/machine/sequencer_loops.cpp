// Extrapolation in the sequencer: skips iterations of program loops.
//
// The state of the machine at the beginning of an iteration includes the launches that are in flight on other chips.
// When it equals an earlier one, the launches in flight and the commands to come repeat those of an iteration before,
// and each is replaced by the one that many iterations later.
#include <algorithm>

#include "sim/machine/sequencer.hpp"

namespace ttsim::impl::sim {

const Sequencer::LoopPoint::Left* Sequencer::LoopPoint::find(std::size_t number) const {
    const auto at = std::ranges::find(left, number, &Left::number);
    return at == left.end() ? nullptr : &*at;
}

Sequencer::LoopPoint Sequencer::loop_point(const Pending& launching) const {
    LoopPoint point{launching.number, issued_to_, {}, {}};
    for (const Pending& pending : window_)
        if (!pending.over && pending.number < issued_to_)
            point.left.push_back({pending.number, pending.epoch != nullptr});
    for (const auto& [queue, memory] : context_.queues) point.popped[queue] = memory->popped();
    return point;
}

/// The epochs in flight in the order of their launch, in which queues notify them.
std::vector<Sequencer::Pending*> Sequencer::by_launch() {
    std::vector<Pending*> running;
    for (Pending& pending : window_)
        if (pending.epoch) running.push_back(&pending);
    std::ranges::sort(running, {}, &Pending::started);
    return running;
}

// --- commands to come ----------------------------------------------------------------------------------------------

/// The commands that are not over, in program order, and the pointers behind those that were applied.
class Sequencer::CommandsAhead {
public:
    explicit CommandsAhead(const Sequencer& sequencer)
        : stream(sequencer.stream_),
          pointers(sequencer.pointers_),
          next_number(sequencer.next_number_),
          sequencer_(sequencer),
          at_(sequencer.window_.begin()) {}

    /// Goes to the next command; false: there is none below number `end`.
    bool next(std::size_t end = ~std::size_t{0}) {
        while (at_ != sequencer_.window_.end() && at_->over) ++at_;
        const bool in_window = at_ != sequencer_.window_.end();
        number = in_window ? at_->number : next_number;
        if (number >= end || (!in_window && !stream.next(command))) return false;
        epoch = in_window ? at_->epoch.get() : nullptr;
        if (in_window)
            command = at_++->command;
        else
            ++next_number;
        return true;
    }
    /// Moves the pointers as the command does from now until it is over.
    IssuedCommand apply() {
        const auto* launch = std::get_if<EpochLaunch>(&command);
        if (epoch) {
            pointers.finish(epoch->access(), launch->input_count());
            const IssuedCommand* logged = sequencer_.log_.find(number);
            return logged ? *logged : IssuedCommand{};
        }
        std::map<const Queue*, QueueAccess> access;
        if (launch) {
            access = pointers.launch(*launch);
            pointers.finish(access, launch->input_count());
        } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
            pointers.move(*move);
        } else {
            pointers.allocate(std::get<AllocateCommand>(command));
        }
        return describe(command, access, pointers);
    }

    EpochCommand command;
    const Epoch* epoch = nullptr;  ///< of a command in flight
    std::size_t number = 0;        ///< of the command; at the end, of the one behind the last
    EpochStream stream;
    PointerTable pointers;
    std::size_t next_number;  ///< of the first command of the stream

private:
    const Sequencer& sequencer_;
    Window::const_iterator at_;
};

/// Whether a command behind those that repeat is blocked until the end of the periods. It is when it conflicts with a
/// command that is not over before.
bool Sequencer::stays_blocked(const CommandUse& later, const LoopPoint& at) const {
    if (conflict(ended_, later)) return true;
    return std::ranges::any_of(window_, [&](const Pending& pending) {
        return !pending.over && pending.number < at.issued_to && conflict(pending.use, later);
    });
}

/// Number of times, at most `most`, that the commands between two points repeat. All that are not over at `to` are
/// compared with those of a period before. The window reaches beyond the last period: what is in it must repeat too, or
/// stay blocked.
std::int64_t Sequencer::count_equal_rounds(const LoopPoint& from, const LoopPoint& to, std::int64_t most) const {
    constexpr std::int64_t most_rounds = std::int64_t{1} << 32;  // beyond the limit of a program
    const std::size_t length = to.launching - from.launching;
    if (length == 0) return 0;
    const EntrySteps steps(from.popped, to.popped);
    CommandsAhead ahead(*this);
    std::deque<std::pair<std::size_t, IssuedCommand>> compared;  // the latest
    const auto model = [&](std::size_t number) {
        const auto known = std::ranges::lower_bound(compared, number, {}, &decltype(compared)::value_type::first);
        return known != compared.end() && known->first == number ? &known->second : log_.find(number);
    };
    std::size_t rounds = static_cast<std::size_t>(std::min(most, most_rounds));
    bool more = ahead.next();
    for (; more && ahead.number < next_number_ + rounds * length; more = ahead.next()) {
        while (!compared.empty() && compared.front().first + length < ahead.number) compared.pop_front();
        const IssuedCommand* const earlier = model(ahead.number - length);
        IssuedCommand command = ahead.apply();
        if (!earlier || !steps.repeats(*earlier, command)) break;
        // Chips that run at once need not launch in the order of the program, in which pointers are computed here.
        if (!to.left.empty() && (earlier->jumped || command.jumped)) break;
        compared.emplace_back(ahead.number, std::move(command));
    }
    if (ahead.number < to.issued_to) return 0;
    rounds = std::min(rounds, (ahead.number - to.issued_to) / length);
    for (; more && ahead.number < next_number_ + rounds * length; more = ahead.next()) {
        if (stays_blocked(use_of(ahead.command, context_.state.netlist, ahead.pointers), to)) continue;
        rounds = ahead.number < next_number_ ? 0 : (ahead.number - next_number_) / length;
        break;
    }
    return static_cast<std::int64_t>(rounds);
}

/// Limits the periods to the loop iterations with identical commands. If there are none, compares again only after many
/// more commands: the state may repeat for long while the remaining commands differ.
void Sequencer::limit_to_commands(StateWalk& limit, const LoopPoint& from, const LoopPoint& to) {
    constexpr std::size_t commands_per_compared = 16;
    if (to.launching < compare_from_) return limit.limit(0);
    limit.limit(count_equal_rounds(from, to, static_cast<std::int64_t>(limit.periods())));
    if (limit.periods() == 0) compare_from_ = to.launching + commands_per_compared * (to.launching - from.launching);
}

/// Moves the program on by `count` commands from this point. Those that are over then move the pointers; the epochs in
/// flight become those of the commands that are in flight then. The caller advances the state of the machine.
void Sequencer::consume_commands(const LoopPoint& at, std::size_t count) {
    Window window;
    order_.clear();
    std::vector<std::pair<std::size_t, IssuedCommand>> running;
    const std::size_t issued_to = at.issued_to + count;
    CommandsAhead ahead(*this);
    while (ahead.next(std::max(issued_to, next_number_))) {
        const LoopPoint::Left* const left = ahead.number < count ? nullptr : at.find(ahead.number - count);
        if (ahead.number < issued_to && !left) {
            ahead.apply();
        } else if (!left || !left->running) {
            order_.add(append(window, std::move(ahead.command), ahead.number));
        } else {
            TT_CHECK(!ahead.epoch, "command {} takes the place of one that is over then", ahead.number);
            const auto before = std::ranges::find(window_, left->number, &Pending::number);
            const auto& launch = std::get<EpochLaunch>(ahead.command);
            std::map<const Queue*, QueueAccess> access = ahead.pointers.launch(launch);
            running.emplace_back(ahead.number, describe(ahead.command, access, ahead.pointers));
            before->epoch->become(launch, std::move(access));
            before->command = std::move(ahead.command);
            before->number = ahead.number;
            window.splice(window.end(), window_, before);
            order_.add(*before, true);
        }
    }
    TT_CHECK(ahead.next_number >= issued_to, "command {} of {}", ahead.next_number, issued_to);
    over_.clear();
    window_ = std::move(window);
    stream_ = std::move(ahead.stream);
    pointers_ = std::move(ahead.pointers);
    next_number_ = ahead.next_number;
    issued_to_ = issued_to;
    log_.restart(window_.empty() ? next_number_ : window_.front().number);
    for (auto& [number, issued] : running) log_.add(number, std::move(issued));
}

// --- state ---------------------------------------------------------------------------------------------------------

/// Walks what the sequencer has issued, relative to the program, and the epochs in flight.
void Sequencer::walk_commands(StateWalk& walk, const LoopPoint& at) {
    walk.fixed(at.issued_to - at.launching);
    walk.fixed(at.left.size());
    for (const auto& [number, running] : at.left) {
        walk.fixed(at.issued_to - number);
        walk.fixed(running);
    }
    const std::vector<Pending*> running = by_launch();
    for (const Pending* pending : running) pending->epoch->begin_iteration_walk(walk);
    for (const Pending* pending : running) {
        // an advancing walk follows consume_commands(), which renumbers
        if (walk.saving()) walk.fixed(at.issued_to - pending->number);
        pending->epoch->walk(walk);
    }
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
        walk.last_time(graph.last_end);
        walk.last_time(graph.last_input_packed);
        for (OpReport& op : graph.ops) {
            walk.total(op.tiles);
            walk.total(op.busy_cycles);
            walk.last_time(op.last_cycle);
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
    walk.last_time(context_.state.report.last_pop);
}

// --- when ----------------------------------------------------------------------------------------------------------

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

/// Whether this launch is the first one of an iteration of a loop. Programs repeat in whole iterations, so states in
/// between need no comparison. Outside of loops every launch counts as an iteration.
bool Sequencer::begins_iteration(const Pending& launching) const {
    const auto* launch = std::get_if<EpochLaunch>(&launching.command);
    return launch && (launch->iteration() == 0 || launch->iteration() > launched_iteration_);
}

/// Called before the first launch of an iteration. If the state equals an earlier one, the iterations repeat while the
/// remaining commands are the same. Returns whether some were skipped; `launching` does not exist then.
bool Sequencer::skip_loop_iterations(const Pending& launching) {
    if (!may_skip() || !may_repeat(launching) || !loop_backoff_.due()) return false;
    LoopPoint present = loop_point(launching);
    const Graph* const graph = std::get<EpochLaunch>(launching.command).members.front().graph;
    const auto walk_all = [&](StateWalk& walk) {
        walk.fixed(graph);
        walk_commands(walk, present);
        this->walk(walk);
        walk_reports(walk);
    };
    StateWalk save(context_.now, Period::Iterations);
    walk_all(save);
    Snapshot snapshot = save.take();
    if (const auto* before = loop_history_.find(snapshot)) {
        // The state is compared first, at constant cost; comparing commands costs time per command.
        StateWalk limit(before->snapshot, snapshot);
        walk_all(limit);
        if (limit.periods() > 0) limit_to_commands(limit, before->mark, present);
        if (limit.periods() > 0) {
            ++generation_;
            in_flight_history_.clear();
            consume_commands(present, (present.launching - before->mark.launching) * limit.periods());
            StateWalk advance(before->snapshot, snapshot, limit.periods());
            const std::int64_t inputs_before = inputs_done_;
            walk_all(advance);
            context_.state.report.inputs_skipped += inputs_done_ - inputs_before;
            context_.board.clock().skip(advance.cycles());
            loop_history_.clear();
            loop_backoff_.reset();
            return true;
        }
    }
    loop_history_.add(std::move(snapshot), std::move(present));
    return false;
}

}  // namespace ttsim::impl::sim
