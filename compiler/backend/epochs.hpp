// Which ops run together, and on which grids: the choice of the policies.
#pragma once

#include "compiler/backend/epoch_solver.hpp"

namespace ttsim::impl::ir {

/// All ops in order, cut into epochs. Throws Error(Unsupported) when the edges of an op allow none of its grids.
std::vector<Epoch> choose_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                 const ScheduleOptions& options);

/// Cycles of the slowest op, per input.
double slowest(const std::vector<OpChoices>& ops, const Epoch& epoch);

/// One of a list of epochs that somebody else has cut.
struct EpochWish {
    std::size_t first = 0, end = 0;   ///< its ops
    double target = 0;                ///< cycles that each op should stay within
    std::vector<std::size_t> wanted;  ///< candidate of each; empty: what meets the target with the least share
    std::vector<double> scale;        ///< of each: measured cycles by estimated ones; empty: 1
};
/// For each place the epochs that are wanted there or, where the ops of one do not fit together, the others. Nothing
/// where these do not either.
std::optional<std::vector<Epoch>> wished_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                                const ScheduleOptions& options,
                                                const std::vector<std::vector<EpochWish>>& wanted,
                                                const std::vector<std::vector<EpochWish>>& otherwise);
/// The least target that the wish's ops meet with that share of the chip's cores.
double least_target(const Choices& choices, const OpBudget& budget, const EpochWish& wish, double packing);

}  // namespace ttsim::impl::ir
