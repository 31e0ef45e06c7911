// Divides the ops into epochs and chooses their grids, by policy.
#pragma once

#include "compiler/backend/epoch_solver.hpp"

namespace ttsim::impl::ir {

/// All ops in order, divided into epochs. Throws Error(Unsupported) if the edges of an op allow none of its grids.
std::vector<Epoch> choose_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                 const ScheduleOptions& options);

/// Cycles of the slowest op, per input.
double slowest(const std::vector<OpChoices>& ops, const Epoch& epoch);

/// An epoch requested by the schedule search.
struct EpochRequest {
    std::size_t first = 0, end = 0;   ///< its ops
    double target = 0;                ///< cycles that each op should not exceed
    std::vector<std::size_t> wanted;  ///< candidate per op; empty: the cheapest that meets the target
    std::vector<double> scale;        ///< per op: measured / estimated cycles; empty: 1
};
/// Builds the epochs `wanted[k]` for each k, or `otherwise[k]` if their ops do not fit; nullopt if neither fits.
std::optional<std::vector<Epoch>> requested_epochs(const Choices& choices, const EdgeCosts& costs,
                                                   const OpBudget& budget, const ScheduleOptions& options,
                                                   const std::vector<std::vector<EpochRequest>>& wanted,
                                                   const std::vector<std::vector<EpochRequest>>& otherwise);
/// The least target that the request's ops meet with the share `packing` of the chip's cores.
double least_target(const Choices& choices, const OpBudget& budget, const EpochRequest& request, double packing);

}  // namespace ttsim::impl::ir
