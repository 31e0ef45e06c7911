// Searches places for the ops of an epoch that reduce the load of NoC links.
#pragma once

#include "compiler/backend/epoch_solver.hpp"
#include "compiler/backend/load_time.hpp"

namespace ttsim::impl::ir {

/// Equal epochs are searched once.
class PlaceSearch {
public:
    PlaceSearch(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget)
        : choices_(choices), costs_(costs), budget_(budget), load_time_(*budget.chip, budget.rows, budget.cols) {}
    /// Improves the places of an epoch: less load on the busiest links, less loading time. Ops placed by the user stay.
    /// Deterministic. Sets Epoch::link_cycles and load_cycles. `epochs`: number of epochs of the model; with more of
    /// them fewer starts are tried, so that a hundred epochs take less than a minute.
    void improve(Epoch& epoch, std::size_t epochs);

private:
    const Choices& choices_;
    const EdgeCosts& costs_;
    const OpBudget& budget_;
    LoadTime load_time_;
};

}  // namespace ttsim::impl::ir
