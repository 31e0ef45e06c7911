#include "sim/machine/epoch.hpp"

#include <algorithm>
#include <bit>

#include "sim/machine/stage_overlap.hpp"

namespace ttsim::impl::sim {

/// The queue that owns the memory: the queue itself, or the base ram of an alias.
static const Queue* memory_behind(const Netlist& netlist, const Queue& queue) {
    return queue.alias.empty() ? &queue : netlist.find_queue(queue.alias);
}

Epoch::Epoch(Context& context, const RunState::Prepared& prepared, const EpochLaunch& launch,
             std::map<const Queue*, QueueAccess> access, std::function<void()> finished)
    : context_(context),
      plan_(*prepared.plan),
      launch_(launch),
      access_(std::move(access)),
      finished_(std::move(finished)),
      view_{context.now,
            context.board,
            context.state.settings.pipes,
            context.state.settings.idealized,
            launch.inputs,
            launch.first_input(),
            scope_,
            {context.state, *prepared.compute},
            *this},
      probe_(context.probe ? context.probe->launch(plan_, launch_, context.now) : nullptr),
      input_ends_(static_cast<std::size_t>(launch.inputs), 0),
      packed_(plan_.graphs.size(), input_ends_) {
    if (OpResults* results = view_.values.op_results()) results->begin(launch_, plan_);
    build_queues();
    build_cores();
    build_pipes();
    build_writers();
}

void Epoch::build_queues() {
    for (const PlanQueue& queue : plan_.queues)
        ports_.push_back(
            std::make_unique<QueuePort>(view_, queue, access_.at(queue.queue), context_.memory(*queue.queue)));
    const Netlist& netlist = context_.state.netlist;
    for (auto& reader : ports_)
        for (auto& writer : ports_)
            if (writer->writes() && reader->reads() && reader->memory().ram() &&
                memory_behind(netlist, reader->queue()) == memory_behind(netlist, writer->queue()))
                reader->follow(*writer);
}

void Epoch::build_cores() {
    for (const PlanOp& op : plan_.ops) {
        cores_.emplace_back();
        for (std::size_t index = 0; index < op.cores.size(); ++index) {
            CoreProbe* probe = probe_ ? probe_->core(cores_.size() - 1, index) : nullptr;
            cores_.back().push_back(std::make_unique<Core>(view_, op, index, probe));
            Core& core = *cores_.back().back();
            if (context_.state.input_record.wanted(*op.graph)) core.record_inputs();
            if (op.op->cfg.gradient) core.set_gradient(*ports_[static_cast<std::size_t>(op.out_queues.at(0))]);
        }
        open_cores_ += op.cores.size();
    }
}

/// Whether the pipes of operand k read their sources alternately.
static bool alternates(const Plan& plan, std::size_t op, std::size_t k) {
    const int producer = plan.ops[op].operands[k].producer_op;
    if (producer < 0) return false;
    const PlanOp& from = plan.ops[static_cast<std::size_t>(producer)];
    for (std::size_t r = 0; r < from.readers.size(); ++r)
        if (from.readers[r].op == static_cast<int>(op) && from.readers[r].operand == static_cast<int>(k))
            return from.output_streaming.alternating[r];
    return false;
}

void Epoch::build_pipes() {
    for (std::size_t o = 0; o < plan_.ops.size(); ++o)
        for (std::size_t k = 0; k < plan_.ops[o].operands.size(); ++k) {
            const PlanOperand& operand = plan_.ops[o].operands[k];
            std::vector<Core*> producers;
            if (operand.producer_op >= 0)
                for (const auto& core : cores_[static_cast<std::size_t>(operand.producer_op)])
                    producers.push_back(core.get());
            QueuePort* queue =
                operand.producer_op >= 0 ? nullptr : ports_[static_cast<std::size_t>(operand.producer_queue)].get();
            if (queue)
                for (const auto& core : cores_[o]) queue->add_core(*core);
            const bool alternating = alternates(plan_, o, k);
            const PipeFlow* before = nullptr;
            for (const Pipe& pipe : operand.pipes) {
                std::vector<Core*> consumers;
                for (const std::uint32_t core : pipe.cores) consumers.push_back(cores_[o][core].get());
                pipes_.push_back(
                    std::make_unique<PipeFlow>(view_, plan_.ops[o], k, pipe, probe_ ? probe_->next_flow() : nullptr));
                pipes_.back()->connect(consumers, producers, queue, alternating ? before : nullptr);
                before = pipes_.back().get();
            }
        }
}

void Epoch::build_writers() {
    for (std::size_t o = 0; o < plan_.ops.size(); ++o)
        for (const int q : plan_.ops[o].out_queues) {
            QueuePort& port = *ports_[static_cast<std::size_t>(q)];
            const auto cores = static_cast<std::int64_t>(plan_.ops[o].cores.size());
            port.expect(cores * WriterFlow::pieces_per_input(plan_.ops[o]));
            for (auto& core : cores_[o])
                writers_.push_back(
                    std::make_unique<WriterFlow>(view_, *core, port, probe_ ? probe_->next_flow() : nullptr));
        }
    open_writers_ = writers_.size();
}

void Epoch::start() {
    std::map<std::int64_t, std::vector<std::pair<NocCoord, const void*>>> kernels;  // by chip
    for (const PlanOp& op : plan_.ops)
        for (const NocCoord core : op.cores) kernels[op.chip].emplace_back(core, op.op);
    Cycle load = 0;
    for (const auto& [chip, cores] : kernels) load = std::max(load, context_.board.chip(chip).load_epoch(cores));
    if (context_.state.settings.idealized.load) load = 0;
    started_ = context_.now;
    RunReport& run = context_.state.report;
    run.load_cycles += load;
    if (!run.first_loaded) run.first_loaded = started_ + load;
    view_.schedule(plan_.chips.front(), context_.now + load, *this, 0);
}

void Epoch::on_event(std::uint32_t what, std::uint64_t) {
    if (what != 0) {  // end of the epoch, in an event of its own, since the caller is part of the epoch
        const auto finished = std::move(finished_);  // it destroys this epoch
        finished();
        return;
    }
    loaded_ = true;
    if (probe_) probe_->begins(context_.now);
    for (auto& pipe : pipes_) pipe->start();
    for (auto& op : cores_)
        for (auto& core : op) core->start();
    check_finished();
}

void Epoch::core_packed(const Core& core) {
    if (core.input_complete()) note_packed(core);
    if (core.op().out_queues.empty() && core.op().readers.empty())
        finish_input(core.inputs_packed() - (core.input_complete() ? 1 : 0));
}

void Epoch::core_finished() {
    --open_cores_;
    check_finished();
}

void Epoch::note_packed(const Core& core) {
    const auto graph = std::find(plan_.graphs.begin(), plan_.graphs.end(), core.op().graph) - plan_.graphs.begin();
    const std::int64_t input = core.inputs_packed() - 1;
    packed_[static_cast<std::size_t>(graph)][static_cast<std::size_t>(input)] = context_.now;
}

void Epoch::writer_finished() {
    --open_writers_;
    check_finished();
}

void Epoch::finish_input(std::int64_t input) {
    input_ends_[static_cast<std::size_t>(input)] = context_.now;
    context_.input_over = context_.attention = true;
}

std::int64_t Epoch::count_inputs_over() {
    scope_.base = inputs_over();
    return scope_.base;
}

std::int64_t Epoch::inputs_over() const {
    std::int64_t over = inputs();
    for (const auto& op : cores_)
        for (const auto& core : op) over = std::min(over, core->inputs_packed());
    for (const auto& writer : writers_) over = std::min(over, writer->inputs_done());
    return over;
}

double Epoch::done_fraction() const {
    double produced = 0, all = 0;
    for (const auto& op : cores_)
        for (const auto& core : op) {
            produced += static_cast<double>(core->produced());
            all += static_cast<double>(core->op().input_tiles() * inputs());
        }
    return all > 0 ? produced / all : 0;
}

/// Skipped inputs get the end times of the previous period, shifted. Ends already recorded for later inputs move behind
/// them.
void Epoch::walk_input_ends(StateWalk& walk) {
    if (!walk.advancing() || scope_.moved == 0) return;
    skip_inputs(input_ends_, walk);
    for (std::vector<Cycle>& ends : packed_) skip_inputs(ends, walk);
}

void Epoch::skip_inputs(std::vector<Cycle>& ends, const StateWalk& walk) const {
    const auto base = static_cast<std::size_t>(scope_.base);
    const auto period = static_cast<std::size_t>(scope_.moved);
    const std::size_t skipped = period * walk.periods();
    const Cycle cycles = walk.cycles() / walk.periods();
    for (std::size_t n = ends.size(); n-- > base + skipped;) {
        const Cycle begun = ends[n - skipped];
        ends[n] = begun == 0 ? 0 : begun + walk.cycles();
    }
    for (std::size_t n = base; n < base + skipped; ++n) ends[n] = ends[n - period] + cycles;
}

void Epoch::begin_iteration_walk(StateWalk& walk) {
    scope_ = {};
    walk.name(static_cast<const Actor*>(this));
    const auto name = [&](const auto& part) { walk.name(static_cast<const Actor*>(part.get())); };
    for (auto& op : cores_) std::ranges::for_each(op, name);
    for (auto& pipe : pipes_) {
        name(pipe);
        if (probe_) walk.name(pipe->probe());
    }
    for (auto& writer : writers_) {
        name(writer);
        if (probe_) walk.name(writer->probe());
    }
}

/// What the epoch reports at its end, besides the figures of its parts.
void Epoch::walk_history(StateWalk& walk) {
    walk.fixed(&plan_);
    walk.fixed(loaded_);
    walk.moment(started_);
    walk.launch_mark(ended_);
    walk.fixed(std::bit_cast<std::uint64_t>(inputs_per_second_));
    for (Cycle& end : input_ends_) walk.launch_mark(end);
    for (std::vector<Cycle>& ends : packed_)
        for (Cycle& end : ends) walk.launch_mark(end);
}

void Epoch::become(const EpochLaunch& launch, std::map<const Queue*, QueueAccess> access) {
    launch_ = launch;
    view_.first_input = launch.first_input();
    access_ = std::move(access);
    for (auto& port : ports_) port->set_access(access_.at(&port->queue()));
}

void Epoch::walk(StateWalk& walk) {
    walk.fixed(open_cores_);
    walk.fixed(open_writers_);
    walk.fixed(done_);
    for (auto& port : ports_) port->walk(walk);
    for (auto& op : cores_)
        for (auto& core : op) core->walk(walk);
    for (auto& pipe : pipes_) pipe->walk(walk);
    for (auto& writer : writers_) writer->walk(walk);
    if (walk.over_iterations())
        walk_history(walk);
    else
        walk_input_ends(walk);
}

void Epoch::check_finished() {
    if (done_ || open_cores_ > 0 || open_writers_ > 0) return;
    done_ = true;
    ended_ = context_.now;
    inputs_per_second_ = ttsim::impl::inputs_per_second(static_cast<double>(context_.state.report.clock_mhz) * 1e6,
                                                        steady_interval(pace()));
    // Finally the epoch writes the pointers of its queues back.
    const std::int64_t chip = plan_.chips.front();
    const auto pointers = static_cast<Cycle>(context_.board.chip(chip).memory().access.pointer_write);
    view_.schedule(chip, context_.now + pointers, *this, 1);
}

std::vector<const Waiter*> Epoch::unfinished() const {
    std::vector<const Waiter*> parts;
    for (const auto& op : cores_)
        for (const auto& core : op)
            if (!core->finished()) parts.push_back(core.get());
    for (const auto& writer : writers_)
        if (!writer->finished()) parts.push_back(writer.get());
    return parts;
}

/// Adds the launch to the figures of its epoch type.
void Epoch::report_training(EpochType type) const {
    std::uint64_t math = 0, cores = 0, all = 0;
    for (const auto& op : cores_)
        for (const auto& core : op) {
            math += core->stats().math;
            ++cores;
        }
    for (const std::int64_t chip : plan_.chips) {
        const DeviceGrid grid = context_.state.machine.grid(chip);
        all += static_cast<std::uint64_t>(grid.rows * grid.cols);
    }
    const std::uint64_t cycles = ended_ - started_;
    std::optional<TrainingUse>& training = context_.state.report.training;
    if (!training) training.emplace().saved_bytes = context_.state.training.saved_bytes;
    training->of(type).add({1, cycles, math, cores * cycles, all * cycles});
}

void Epoch::report(const std::vector<GraphReport*>& graphs) const {
    if (const auto type = graphs.empty() ? std::nullopt : graphs.front()->epoch_type) report_training(*type);
    for (GraphReport* graph : graphs) {
        report_graph(*graph);
        for (std::size_t o = 0; o < plan_.ops.size(); ++o)
            if (graph->name == plan_.ops[o].graph->name) report_op(*graph, o);
    }
    for (std::size_t o = 0; o < plan_.ops.size(); ++o)
        for (const auto& core : cores_[o])
            if (!core->input_times().empty())
                context_.state.input_record.add(plan_.ops[o], core->index(), core->input_times());
}

LaunchTimes Epoch::pace() const {
    LaunchTimes pace{input_ends_, ended_, 0, 0, {}};
    // An input that an epilogue does not write to a queue ends when it is packed.
    for (const std::vector<Cycle>& packed : packed_)
        for (std::size_t n = 0; n < packed.size(); ++n) pace.ends[n] = std::max(pace.ends[n], packed[n]);
    for (const auto& pipe : pipes_)
        if (const auto sent = pipe->all_sent()) {
            pace.drains = std::min(pace.drains, *sent);
            pace.last_send = std::max(pace.last_send, *sent);
        }
    for (const auto& op : cores_)
        for (const auto& core : op) {
            const Core::Stats& stats = core->stats();
            pace.drains = std::min(pace.drains, stats.last_pack);
            pace.cores.push_back({stats.first_pack, stats.last_pack});
            pace.kernel_cycles =
                std::max(pace.kernel_cycles, static_cast<double>(stats.busy) / static_cast<double>(inputs()));
        }
    for (std::size_t o = 0; o < plan_.ops.size(); ++o) {
        const PlanOp& op = plan_.ops[o];
        if (cores_[o].front()->timed())
            pace.kernel_cycles = std::max(pace.kernel_cycles, static_cast<double>(kernel_cycles(op).value()));
    }
    return pace;
}

void Epoch::report_graph(GraphReport& graph) const {
    ++graph.executes;
    graph.inputs += inputs();
    graph.cycles += ended_ - started_;
    if (graph.executes == 1) {
        graph.first_start = started_;
        graph.first_input_end = input_ends_.empty() ? ended_ : pace().ends.front();
        graph.first_inputs = inputs();
        graph.first_end = ended_;
    }
    for (std::size_t g = 0; g < plan_.graphs.size(); ++g) {
        if (graph.name != plan_.graphs[g]->name || packed_[g].empty()) continue;
        if (graph.executes == 1) graph.first_input_packed = packed_[g].front();
        graph.last_input_packed = packed_[g].back();
    }
    graph.last_end = ended_;
    if (inputs_per_second_ > 0) graph.inputs_per_second = inputs_per_second_;
    Cycle first = ~Cycle{0}, last = 0, math = 0, used = 0;
    for (std::size_t o = 0; o < plan_.ops.size(); ++o) {
        if (graph.name != plan_.ops[o].graph->name) continue;
        used += cores_[o].size();
        for (const auto& core : cores_[o]) {
            math += core->stats().math;
            first = std::min(first, core->stats().first_unpack);
            last = std::max(last, core->stats().last_pack);
        }
    }
    if (last > first) graph.active_cycles += last - first;
    graph.math_cycles += math;
    graph.core_cycles += used * (ended_ - started_);
}

/// How the operand reaches its op; no value for one that stays in L1.
static std::optional<Connection> connection(const Plan& plan, const PlanOperand& operand) {
    if (operand.producer_op < 0)
        return operand.intake == Intake::Resident || operand.held_tiles > 0 ? std::nullopt
                                                                            : std::optional(Connection::DramRead);
    for (const Pipe& pipe : operand.pipes)
        for (const ChunkNeed& need : pipe.needs)
            if (need.source != pipe.needs.front().source) return Connection::Gather;
    const PlanOp& producer = plan.ops[static_cast<std::size_t>(operand.producer_op)];
    return producer.readers.size() + producer.out_queues.size() > 1 ? Connection::Forked : Connection::Direct;
}

void Epoch::report_op(GraphReport& graph, std::size_t o) const {
    const auto op = std::find_if(graph.ops.begin(), graph.ops.end(),
                                 [&](const OpReport& r) { return r.name == plan_.ops[o].op->name(); });
    Cycle busiest = 0;
    for (const auto& core : cores_[o]) {
        const Core::Stats& stats = core->stats();
        op->first_cycle = op->last_cycle == 0 ? stats.first_unpack : std::min(op->first_cycle, stats.first_unpack);
        op->last_cycle = std::max(op->last_cycle, stats.last_pack);
        op->tiles += core->produced();
        busiest = std::max(busiest, stats.busy);
    }
    op->busy_cycles += busiest;
    for (const PlanOperand& operand : plan_.ops[o].operands)
        if (const std::optional<Connection> by = connection(plan_, operand)) op->connections.insert(*by);
}

}  // namespace ttsim::impl::sim
