// Estimates the cost of a device-level graph by the balancer, for passes that choose between graphs.
#pragma once

#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

/// The share of an op's time until its first results: products stream slices, other ops blocks, and sparse products
/// finish at their end.
double first_share(const OpConfig& cfg, bool sparse);

/// The graph after the pass fuse-ops.
Graph with_fused_ops(Graph graph, bool auto_fusing);

/// Cycles per input if `graph` is fused and scheduled as by ttsim compile. For each epoch: the latency of one input,
/// the other inputs of an execute at the pace of the slowest op, and changing epochs. Throws Error(Unsupported) if an
/// op fits on no grid.
double estimated_cycles(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options, bool auto_fusing);

}  // namespace ttsim::impl::ir
