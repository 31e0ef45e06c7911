// Finds ops that no division into epochs can place. A search that failed because of one need not be repeated, and all
// such ops are reported at the same time.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "compiler/backend/graph_solver.hpp"

namespace ttsim::impl::ir {

/// Whether one of these ops, or an op near it, exceeds the limits with every candidate, for all epoch boundaries and
/// choices of edges through DRAM.
bool are_impossible(const EdgeModel& model, const std::vector<SolverEdge>& edges, std::set<std::size_t> ops);

/// Impossible ops among the first `ops` ones if the host runs those of `on_host`. Each found op is moved to the host
/// before the next search. `with`: all ops that move to the host with an op, including itself.
std::vector<Conflict> impossible_ops(const EdgeModel& model, const std::vector<SolverEdge>& edges,
                                     const std::set<std::size_t>& on_host,
                                     const std::function<std::set<std::size_t>(std::size_t)>& with, std::size_t ops);

}  // namespace ttsim::impl::ir
