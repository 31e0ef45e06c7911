// Ops that are refused with any epochs: a search that was refused because of one need not be tried in other ways.
#pragma once

#include <set>
#include <vector>

#include "compiler/backend/graph_solver.hpp"

namespace tt::ir {

/// Whether one of these ops, or an op near it, is within the limits with no candidate, wherever epochs end and
/// whichever edges go through DRAM.
bool are_impossible(const EdgeModel& model, const std::vector<SolverEdge>& edges, std::set<std::size_t> ops);

}  // namespace tt::ir
