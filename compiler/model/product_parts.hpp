// Which products over few rows are made in parts of their columns (split-products): those that take much of the time,
// if the estimate is the lower one then.
#pragma once

#include "compiler/backend/schedule.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

/// For products that take much of the time and leave rows of cores empty: as many parts as have a row each and leave a
/// core the fewest columns, at most `most` (2 to most_product_parts). A graph whose ops all fit.
ProductParts parts_that_may_pay(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                                std::int64_t most);

}  // namespace ttsim::impl::ir
