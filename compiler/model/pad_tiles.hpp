// Which axes of a model get more tiles than they need, so that the cores of a grid have equal shares of them: those of
// ops that fit on no grid otherwise, and those of ops that hold up an epoch, if the estimate is the lower one then.
#pragma once

#include "compiler/backend/schedule.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

/// As many tiles as a row or column of `cores` divides best, of those within an eighth of `tiles`; `tiles` itself where
/// that gains nothing.
std::int64_t divisible_tiles(std::int64_t tiles, std::int64_t cores);

/// For the tile counts of ops that fit on no grid. Adds to `known`.
TilePadding padding_to_fit(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                           const TilePadding& known);

/// For those of ops that take most of the time; a graph whose ops all fit. Adds to `known`.
TilePadding padding_that_may_pay(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                                 const TilePadding& known);

}  // namespace ttsim::impl::ir
