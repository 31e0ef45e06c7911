// Places for the ops of an epoch by what their transfers put on the links of the NoC.
#pragma once

#include "compiler/backend/epoch_solver.hpp"

namespace tt::ir {

/// Moves ops of the epoch, which has places, to where the busiest links carry less; ops the user has placed stay.
/// Deterministic. Sets Epoch::link_cycles.
void improve_places(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget, Epoch& epoch);

}  // namespace tt::ir
