// Chooses epochs and grids for the latency of one input.
#pragma once

#include <vector>

#include "compiler/backend/epoch_solver.hpp"

namespace ttsim::impl::ir {

/// All ops in order, divided into epochs with the least sum of latencies and costs of changing epochs. In an epoch
/// every op has the grid that minimizes time + price * cores, at the least price at which all fit. So cores are used
/// where they shorten the latency most. Loading the first epoch is not counted. Throws as choose_epochs() does.
std::vector<Epoch> latency_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                  const ScheduleOptions& options);

}  // namespace ttsim::impl::ir
