// Ops that are refused with any epochs: a search that was refused because of one need not be tried in other ways, and
// what is refused besides need not wait for the next search.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "compiler/backend/graph_solver.hpp"

namespace ttsim::impl::ir {

/// Whether one of these ops, or an op near it, is within the limits with no candidate, wherever epochs end and
/// whichever edges go through DRAM.
bool are_impossible(const EdgeModel& model, const std::vector<SolverEdge>& edges, std::set<std::size_t> ops);

/// Which of the first `ops` ops are refused so when the host does those of `on_host`, each where the host does those
/// before it, too. `with`: the ops that go there when one goes, itself among them.
std::vector<Conflict> impossible_ops(const EdgeModel& model, const std::vector<SolverEdge>& edges,
                                     const std::set<std::size_t>& on_host,
                                     const std::function<std::set<std::size_t>(std::size_t)>& with, std::size_t ops);

}  // namespace ttsim::impl::ir
