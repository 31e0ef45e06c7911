#include "sim/state/performance_record.hpp"

#include <algorithm>
#include <cmath>

#include "netlist/checks/instances.hpp"

namespace ttsim::impl::sim {

bool is_performance_target(const std::string& target, const std::string& name) {
    return target == name || target == without_instance_suffix(name) || without_instance_suffix(target) == name;
}

bool is_per_core_metric(const std::string& metric) {
    return metric == "math-utilization" || metric == "execution-cycles" || metric == "output-bw" ||
           metric == "input0-bw";
}

bool PerformanceFigure::met() const {
    if (min_bound != 0 && measured < min_bound) return false;
    return expected == 0 || std::abs(measured - expected) <= std::abs(expected) * rtol;
}

InputRecord::InputRecord(const Netlist& netlist) {
    for (const PerformanceCheck& check : netlist.performance) {
        const bool needed = std::any_of(check.metrics.begin(), check.metrics.end(),
                                        [](const PerfMetric& m) { return is_per_core_metric(m.name); });
        if (!needed) continue;
        for (const Graph& graph : netlist.graphs)
            if (check.graph.empty() || is_performance_target(check.graph, graph.name)) cores_[&graph];
    }
}

void InputRecord::add(const PlanOp& op, std::size_t core, const std::vector<InputTimes>& inputs) {
    std::vector<CoreTimes>& cores = cores_.at(op.graph);
    auto known = std::find_if(cores.begin(), cores.end(),
                              [&](const CoreTimes& c) { return c.op->op == op.op && c.core == core; });
    if (known == cores.end()) known = cores.insert(known, {&op, core, {}});
    known->inputs.insert(known->inputs.end(), inputs.begin(), inputs.end());
}

const std::vector<InputRecord::CoreTimes>* InputRecord::of(const Graph& graph) const {
    const auto it = cores_.find(&graph);
    return it == cores_.end() ? nullptr : &it->second;
}

}  // namespace ttsim::impl::sim
