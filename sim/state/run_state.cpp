#include "sim/state/run_state.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"

namespace ttsim::impl::sim {

RunState::RunState(const Netlist& n, const Machine& m, std::vector<ProgramCall> c, MachineSettings s, ThreadPool& p)
    : netlist(n),
      machine(m),
      calls(std::move(c)),
      forecast(ttsim::impl::forecast(n, calls, s.inputs_count)),
      settings(std::move(s)),
      pool(p),
      store(n, settings.numerics),
      training(training_step(n)),
      input_record(n) {
    for (const Graph& graph : netlist.graphs)
        for (const QueueUse& use : queue_uses(netlist, graph))
            if (use.read) read_by_graph[use.queue] = true;
}

/// A copy of the plan in which the operand and output buffers of these ops hold two more inputs.
static std::shared_ptr<const Plan> with_larger_buffers(std::shared_ptr<const Plan> plan,
                                                       const std::set<std::string>& ops) {
    if (ops.empty()) return plan;
    auto wide = std::make_shared<Plan>(*plan);
    for (PlanOp& op : wide->ops) {
        if (!ops.contains(op.op->name())) continue;
        op.capacity_tiles += 2 * op.input_tiles();
        for (PlanOperand& operand : op.operands) {
            if (operand.intake == Intake::Resident) continue;
            std::int64_t most = 0;  // tiles of an input in one of its cores
            for (const Pipe& pipe : operand.pipes)
                most = std::max<std::int64_t>(
                    most, std::accumulate(pipe.chunk_tiles.begin(), pipe.chunk_tiles.end(), std::int64_t{0}));
            operand.capacity_tiles += 2 * most;
            operand.l1_tiles += 2 * most;
        }
    }
    return wide;
}

std::shared_ptr<const Plan> RunState::plan_of(const EpochLaunch& launch) const {
    return with_larger_buffers(elaborate(netlist, launch, machine, sparse, settings.pipes, settings.plans),
                               settings.idealized.room);
}

void RunState::add(Prepared& prepared, std::shared_ptr<const Plan> plan) {
    prepared.plan = std::move(plan);
    ++report.plans;
    prepared.compute = std::make_unique<Compute>(*prepared.plan, settings.numerics, pool, saturations, settings.fault);
}

const RunState::Prepared& RunState::prepare(const EpochLaunch& launch) {
    const std::string key = plan_key(launch);
    if (const auto known = plans.find(key); known != plans.end()) return known->second;
    std::shared_ptr<const Plan> plan = plan_of(launch);
    Prepared& prepared = plans[key];
    add(prepared, std::move(plan));
    return prepared;
}

void RunState::prepare_all(EpochStream stream) {
    std::vector<EpochLaunch> launches;  // one for each new plan
    std::vector<Prepared*> into;
    EpochCommand command;
    while (stream.next(command))
        if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
            const auto [found, fresh] = plans.try_emplace(plan_key(*launch));
            if (!fresh) continue;
            launches.push_back(*launch);
            into.push_back(&found->second);
        }
    std::vector<std::shared_ptr<const Plan>> made(launches.size());
    try {
        parallel_for(pool.threads(), made.size(), [&](std::size_t i) { made[i] = plan_of(launches[i]); });
    } catch (...) {  // a session goes on after the error of a call
        std::erase_if(plans, [](const auto& entry) { return !entry.second.plan; });
        throw;
    }
    for (std::size_t i = 0; i < made.size(); ++i) add(*into[i], std::move(made[i]));
}

void RunState::elaborate_all() { prepare_all(EpochStream(netlist, calls, settings.inputs_count)); }

void RunState::prepare_call(EpochStream& stream, const ProgramCall& call) {
    if (live) {
        EpochStream ahead = stream;
        ahead.add(call);
        prepare_all(std::move(ahead));
    }
    stream.add(call);
}

void RunState::forget_popped(const Queue& queue, std::int64_t below) {
    if (queue.type == QueueType::Ram || !read_by_graph[&queue]) return;
    if (!may_rewind(queue)) store.forget(queue, below);
}

bool RunState::may_rewind(const Queue& queue) const {
    if (live) return true;
    const auto known = forecast.queues.find(&queue);
    return known != forecast.queues.end() && known->second.rewound;
}

void RunState::report_progress(std::int64_t inputs, double parts) const {
    if (!settings.progress) return;
    const auto all = static_cast<double>(std::max<std::int64_t>(1, forecast.inputs));
    settings.progress({.stage = "simulating",
                       .share = std::min(1.0, parts / all),
                       .inputs = inputs,
                       .of = forecast.inputs,
                       .next = ""});
}

Tensor RunState::read(const Queue& queue, std::int64_t n) {
    const EntrySpan span = store.read(queue, n);
    for (const Task& task : span.ready()) pool.wait(task);
    return unpack_entry(span);
}

std::optional<EpochType> RunState::epoch_type(const std::string& graph) const {
    const auto found = training.types.find(graph);
    return found == training.types.end() ? std::nullopt : std::optional(found->second);
}

GraphReport& RunState::graph_report(const Graph& graph) {
    const auto [place, is_new] = report_places.try_emplace(graph.name, report.graphs.size());
    if (!is_new) return report.graphs[place->second];
    GraphReport fresh;
    fresh.name = graph.name;
    fresh.device = graph.device();
    fresh.epoch_type = epoch_type(graph.name);
    for (const Op& op : graph.ops) {
        OpReport made;
        made.name = op.name();
        made.type = op.cfg.type;
        made.grid_r = op.cfg.out.grid_r;
        made.grid_c = op.cfg.out.grid_c;
        made.device = graph.device();
        fresh.ops.push_back(std::move(made));
    }
    report.graphs.push_back(std::move(fresh));
    return report.graphs.back();
}

}  // namespace ttsim::impl::sim
