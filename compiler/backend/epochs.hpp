// Which ops run together, and on which grids: the choice of the policies.
#pragma once

#include "compiler/backend/epoch_solver.hpp"

namespace tt::ir {

/// All ops in order, cut into epochs. Throws Error(Unsupported) when the edges of an op allow none of its grids.
std::vector<Epoch> choose_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                 const ScheduleOptions& options);

/// Cycles of the slowest op, per input.
double slowest(const std::vector<OpChoices>& ops, const Epoch& epoch);

}  // namespace tt::ir
