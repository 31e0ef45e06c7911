// What a graph on device level would cost, by the balancer's own estimate: for passes that choose between two graphs.
#pragma once

#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

/// Of an op's time, what passes until it gives the first of its result: a product has it slice by slice, others block
/// by block, a sparse product at its end.
double first_share(const OpConfig& cfg, bool sparse);

/// What the pass fuse-ops will leave of a graph.
Graph with_fused_ops(Graph graph, bool auto_fusing);

/// Cycles an input takes when `graph` is fused and scheduled as ttsim compile will: for each epoch
/// one input alone through all its ops, the other inputs of an execute at the pace of the slowest op, and changing
/// epochs. Throws Error(Unsupported) where an op fits on no grid.
double estimated_cycles(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options, bool auto_fusing);

}  // namespace ttsim::impl::ir
