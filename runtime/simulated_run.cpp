#include "runtime/simulated_run.hpp"

#include <algorithm>

#include "sim/run.hpp"

namespace ttsim::impl::runtime {

static ir::SimulatedEpoch epoch_of(const Graph& graph, const sim::RunReport& report) {
    ir::SimulatedEpoch epoch;
    const auto found = std::find_if(report.graphs.begin(), report.graphs.end(),
                                    [&](const sim::GraphReport& ran) { return ran.name == graph.name; });
    if (found == report.graphs.end()) return epoch;
    epoch.cycles = static_cast<double>(found->cycles);
    for (const Op& op : graph.ops) {
        const auto ran = std::find_if(found->ops.begin(), found->ops.end(),
                                      [&](const sim::OpReport& each) { return each.name == op.name(); });
        epoch.busy_cycles.push_back(ran == found->ops.end() ? 0 : static_cast<double>(ran->busy_cycles));
    }
    return epoch;
}

/// Encodings of sparse products, so that their time is that of the model; other values do not affect time.
static std::shared_ptr<const sim::HostValues> encodings_of(const ir::EmittedModel& model) {
    sim::HostValues values;
    for (const ir::QueueValues& constant : model.constants) {
        if (!constant.bits) continue;
        const ir::Dims& dims = constant.values->dims();
        Tensor entry(dims[0], dims[1], dims[2]);
        std::copy(constant.values->floats().begin(), constant.values->floats().end(), entry.data.begin());
        values[constant.queue].push_back(std::move(entry));
    }
    return std::make_shared<const sim::HostValues>(std::move(values));
}

ir::SimulatedRun simulated_run(const ir::EmittedModel& model, const ir::CompileOptions& options) {
    sim::RunOptions run;
    run.value = std::make_shared<const Netlist>(model.netlist);
    run.device = options.device;
    run.cluster = options.cluster;
    run.harvested_rows = options.harvested_rows;
    run.mode = sim::Mode::Timing;
    run.threads = options.threads;
    run.check = false;
    run.host_values = encodings_of(model);
    for (const ir::ModelProgram& program : model.programs) run.params[program.executes] = 1;
    const sim::RunReport report = sim::run(run);
    ir::SimulatedRun simulated{static_cast<double>(report.cycles), static_cast<double>(report.latency_cycles), {}};
    for (const Graph& graph : model.netlist.graphs) simulated.epochs.push_back(epoch_of(graph, report));
    return simulated;
}

}  // namespace ttsim::impl::runtime
