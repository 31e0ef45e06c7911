// Chooses products over few rows that are split by columns (split-products): those that dominate the time, if the
// estimate improves.
#pragma once

#include "compiler/backend/schedule.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

/// Parts for products that dominate the time and leave rows of cores idle: the number of parts, at most `most` (2 to
/// most_product_parts), with the fewest columns per core. All ops of the graph must fit.
ProductParts profitable_parts(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                              std::int64_t most);

}  // namespace ttsim::impl::ir
