#include "compiler/model/product_parts.hpp"

#include <algorithm>
#include <limits>

#include "compiler/backend/choices.hpp"
#include "compiler/passes/split_products.hpp"
#include "compiler/schedule/ideal_time.hpp"

namespace ttsim::impl::ir {

namespace {

/// The best number of parts of `columns` tiles, each on its own `rows` of the grid; 1 if more do not reduce a core's
/// share.
std::int64_t best_parts(std::int64_t columns, std::int64_t rows, const OpBudget& budget, std::int64_t most) {
    std::int64_t best = 1;
    for (std::int64_t parts = 2; parts <= std::min(most, budget.rows / rows); ++parts)
        if (columns % parts == 0 &&
            tiles_per_core(columns / parts, budget.cols) < tiles_per_core(columns / best, budget.cols))
            best = parts;
    return best;
}

}  // namespace

ProductParts profitable_parts(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                              std::int64_t most) {
    const Choices choices = list_choices(graph, budget, options);
    std::map<std::pair<std::int64_t, std::int64_t>, double> gains;  // cycles of products
    ProductParts parts;
    for (const OpChoices& op : choices.ops) {
        const Node& node = graph.nodes[op.node];
        if (!is_splittable(graph, node) || options.overrides.contains(node.name)) continue;
        const Dims& constant = graph.type(node.inputs[1].value).dims;
        const std::int64_t rows = std::min(node.type.dims[1], budget.rows);
        const std::int64_t count = best_parts(constant[2], rows, budget, most);
        if (count == 1) continue;
        const std::pair shape(constant[1], constant[2]);
        gains[shape] += min_cycles(op) * (1 - 1 / static_cast<double>(count));
        auto& known = parts.try_emplace(shape, count).first->second;
        known = std::min(known, count);
    }
    const double ideal = lower_bound_cycles(choices, budget);
    std::erase_if(parts, [&](const auto& shape) { return gains[shape.first] <= min_gain_share * ideal; });
    return parts;
}

}  // namespace ttsim::impl::ir
