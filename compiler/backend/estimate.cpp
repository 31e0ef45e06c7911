#include "compiler/backend/estimate.hpp"

#include <algorithm>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

double first_share(const OpConfig& cfg, bool sparse) {
    constexpr double blocks = 0.25;
    if (sparse) return 1;
    const double slice = 1 / static_cast<double>(cfg.out.t);
    const bool streams = cfg.type != "matmul" && cfg.type != "depthwise" && cfg.type != "reduce";
    return streams ? std::min(slice, blocks) : slice;
}

Graph with_fused_ops(Graph graph, bool auto_fusing) {
    PassOptions options;
    options.auto_fusing = auto_fusing;
    find_pass("fuse-ops")->run(graph, options);
    return graph;
}

double estimated_cycles(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options, bool auto_fusing) {
    const Graph last = with_fused_ops(graph, auto_fusing);
    ScheduleOptions quick = options;
    // random schedules are not comparable, and simulating each candidate would be slow
    if (quick.policy == Policy::Random || quick.policy == Policy::Simulated) quick.policy = Policy::Balanced;
    quick.one_height = false;  // one schedule suffices for a comparison
    const Schedule schedule = Planner(last, budget, quick).schedule(quick);
    double cycles = 0;
    for (std::size_t epoch = 0; epoch < schedule.epochs; ++epoch)
        cycles += std::max(schedule.epoch_latencies[epoch], schedule.epoch_cycles[epoch]) +
                  static_cast<double>(schedule.epoch_inputs[epoch] - 1) * schedule.epoch_cycles[epoch] +
                  schedule.epoch_loads[epoch];
    return cycles / static_cast<double>(budget.microbatch);
}

}  // namespace ttsim::impl::ir
