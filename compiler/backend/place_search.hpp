// Places for the ops of an epoch by what their transfers put on the links of the NoC.
#pragma once

#include "compiler/backend/epoch_solver.hpp"

namespace ttsim::impl::ir {

/// Epochs alike are searched once.
class PlaceSearch {
public:
    PlaceSearch(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget)
        : choices_(choices), costs_(costs), budget_(budget) {}
    /// Moves ops of the epoch, which has places, to where the busiest links carry less and loading takes less; ops the
    /// user has placed stay. Deterministic. Sets Epoch::link_cycles and load_cycles. `epochs`: of the model; the more
    /// there are, the fewer starts are tried in each, so that a model of a hundred epochs does not take a minute.
    void improve(Epoch& epoch, std::size_t epochs);

private:
    const Choices& choices_;
    const EdgeCosts& costs_;
    const OpBudget& budget_;
};

}  // namespace ttsim::impl::ir
