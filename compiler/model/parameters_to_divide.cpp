#include "compiler/model/parameters_to_divide.hpp"

#include <algorithm>

#include "compiler/backend/choices.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

namespace {

/// The ops that hold the sum of a gradient, and its parameter.
std::map<ValueId, std::string> summing_ops(const Graph& graph) {
    std::map<ValueId, std::string> ops;
    for (const Output& output : graph.outputs)
        if (graph.nodes[output.value].has(attr::gradient) && output.name.starts_with(gradient_prefix))
            ops.emplace(output.value, output.name.substr(gradient_prefix.size()));
    return ops;
}

/// The constant of the model that a parameter holds, or some rows of.
std::string constant_of(const Graph& graph, const std::string& parameter) {
    for (const Node& node : graph.nodes)
        if (node.is_parameter() && node.origin == parameter && node.has(attr::rows_of)) return node.get(attr::rows_of);
    return parameter;
}

}  // namespace

std::map<std::string, std::int64_t> parameters_to_divide(const Graph& graph, const OpBudget& budget,
                                                         const ScheduleOptions& options,
                                                         const std::map<std::string, std::int64_t>& known) {
    std::map<std::string, std::int64_t> parts = known;
    const std::map<ValueId, std::string> sums = summing_ops(graph);
    if (sums.empty()) return parts;
    for (const OpWithoutGrid& refused : ops_without_grid(graph, budget, options)) {
        const auto sum = sums.find(refused.op);
        if (sum == sums.end() || refused.least_bytes == 0) continue;
        const std::string name = constant_of(graph, sum->second);
        const auto before = known.find(name);
        if (before != known.end() && name == sum->second) continue;  // its readers need it whole
        const std::int64_t factor = (refused.least_bytes + refused.usable_bytes - 1) / refused.usable_bytes;
        std::int64_t& now = parts.emplace(name, 1).first->second;
        now = std::max(now, factor * (before == known.end() ? 1 : before->second));
    }
    return parts;
}

}  // namespace ttsim::impl::ir
