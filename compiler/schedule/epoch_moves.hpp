// Changes of epochs that may make them quicker, by what a run of them on the simulated chip says.
#pragma once

#include <optional>
#include <random>

#include "compiler/backend/blocking.hpp"
#include "compiler/schedule/epoch_pool.hpp"

namespace ttsim::impl::ir {

class EpochMoves {
public:
    /// All are kept by reference.
    EpochMoves(const Choices& choices, const OpBudget& budget, const EpochPool& pool)
        : choices_(choices), budget_(budget), pool_(pool) {}

    /// Other grids for one epoch that were not run yet; nothing where none was found.
    std::optional<EpochWish> grids(const EpochWish& at, const RanEpoch& ran, std::mt19937& random) const;
    /// Two neighbours cut elsewhere, or made one; or one cut in two.
    std::optional<std::vector<EpochWish>> cuts(const EpochWish& a, const RanEpoch& ran_a, const EpochWish& b,
                                               const RanEpoch& ran_b, std::mt19937& random) const;
    std::optional<std::vector<EpochWish>> halves(const EpochWish& at, const RanEpoch& ran, std::mt19937& random) const;

private:
    const Candidate& candidate(const EpochWish& at, std::size_t k) const;
    std::vector<double> measured_by_estimated(const EpochWish& at, const RanEpoch& ran) const;
    EpochWish quicker_op(EpochWish at, const RanEpoch& ran, std::mt19937& random) const;
    EpochWish other_shape(EpochWish at, const RanEpoch& ran, std::mt19937& random) const;
    EpochWish by_measured_times(EpochWish at, const RanEpoch& ran, std::mt19937& random) const;
    void make_room(EpochWish& at, const std::vector<double>& scale, std::size_t kept) const;
    EpochWish run_of(std::size_t first, std::size_t end, const std::vector<double>& scale, std::mt19937& random) const;
    std::int64_t cores(const EpochWish& at) const;

    const Choices& choices_;
    const OpBudget& budget_;
    const EpochPool& pool_;
};

}  // namespace ttsim::impl::ir
