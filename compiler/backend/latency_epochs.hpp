// Epochs and grids for one input at a time.
#pragma once

#include <vector>

#include "compiler/backend/epoch_solver.hpp"

namespace ttsim::impl::ir {

/// All ops in order, cut into epochs with the least sum of what one input takes from op to op and of changing epochs.
/// In an epoch every op takes the grid with the least time and price of its cores, at the price at which all fit: where
/// ops wait for each other, a core belongs where it shortens the sum most. Loading the first epoch does not count.
/// Throws as choose_epochs() does.
std::vector<Epoch> latency_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                  const ScheduleOptions& options);

}  // namespace ttsim::impl::ir
