#include "sim/figures/decoupled.hpp"

#include <algorithm>

#include "base/figures.hpp"
#include "base/text.hpp"
#include "sim/machine/stage_overlap.hpp"

namespace ttsim::impl::sim {

namespace {

struct LaunchOfOp {
    EpochLaunch launch;
    const PlanOp* op;
};

LaunchOfOp find_launch(RunState& state, const std::string& name) {
    EpochStream stream(state.netlist, state.calls, state.settings.inputs_count);
    EpochCommand command;
    std::vector<std::string> names;
    while (stream.next(command)) {
        const auto* launch = std::get_if<EpochLaunch>(&command);
        if (!launch) continue;
        for (const PlanOp& op : state.prepare(*launch).plan->ops) {
            if (op.op->name() == name) return {*launch, &op};
            names.push_back(op.op->name());
        }
    }
    fail_input({state.netlist.file, 0, 0}, "--perf-op: no program executes an op '{}'{}", name,
               did_you_mean(name, names));
}

}  // namespace

void run_decoupled(RunState& state, const std::string& name) {
    const auto [launch, op] = find_launch(state, name);
    Cycle now = 0, pack_free = 0, busy = 0;
    std::vector<Cycle> ends;
    for (std::int64_t input = 0; input < launch.inputs; ++input) {
        for (std::int64_t slice = 0; slice < op->slices; ++slice)
            for (StepTime time : op->step_times) {
                time.unpack = time.unpack_alone;
                time.math = time.math_alone;
                time.pack = time.pack_alone;
                const auto step = overlap_stages(time, now, pack_free);
                pack_free = step.pack_end;
                busy += step.next_start - now;
                now = step.next_start;
            }
        ends.push_back(pack_free);
    }
    GraphReport& graph = state.graph_report(*op->graph);
    std::erase_if(graph.ops, [&name = op->op->name()](const OpReport& r) { return r.name != name; });
    OpReport& report = graph.ops.front();
    report.tiles = launch.inputs * op->input_tiles() * static_cast<std::int64_t>(op->cores.size());
    report.last_cycle = pack_free;
    report.busy_cycles = busy;
    graph.executes = 1;
    graph.inputs = launch.inputs;
    graph.cycles = graph.active_cycles = state.report.cycles = pack_free;
    graph.first_inputs = launch.inputs;
    graph.first_input_end = ends.front();
    graph.first_end = graph.last_end = pack_free;
    state.report.first_loaded = 0;
    const double interval = ends.size() < 2 ? static_cast<double>(pack_free) : steady_interval(ends);
    graph.inputs_per_second = inputs_per_second(static_cast<double>(state.report.clock_mhz) * 1e6, interval);
    state.report.notes.push_back(
        fmt::format("--perf-op: '{}' alone, its operands always available and its output "
                    "never blocked; {:.1f} cycles per input",
                    report.name, static_cast<double>(pack_free) / static_cast<double>(launch.inputs)));
}

}  // namespace ttsim::impl::sim
