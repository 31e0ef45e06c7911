// Chooses axes that are padded with additional tiles, so that the cores of a grid get equal shares: axes of ops that
// fit on no grid otherwise, and of ops that slow down an epoch, if the estimate improves.
#pragma once

#include "compiler/backend/schedule.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

/// The tile count, at most an eighth above `tiles`, with the least share per core of a row or column of `cores`;
/// `tiles` itself if padding gains nothing.
std::int64_t divisible_tiles(std::int64_t tiles, std::int64_t cores);

/// Adds to `known` the padding of axes of ops that fit on no grid.
TilePadding padding_to_fit(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                           const TilePadding& known);

/// Adds to `known` the padding of axes of ops that dominate the time. All ops of the graph must fit.
TilePadding profitable_padding(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                               const TilePadding& known);

}  // namespace ttsim::impl::ir
