// Mutations of epochs that may make them faster, guided by measurements on the simulated chip.
#pragma once

#include <optional>
#include <random>

#include "compiler/backend/blocking.hpp"
#include "compiler/schedule/epoch_pool.hpp"

namespace ttsim::impl::ir {

class EpochMoves {
public:
    /// Keeps references to all arguments.
    EpochMoves(const Choices& choices, const OpBudget& budget, const EpochPool& pool)
        : choices_(choices), budget_(budget), pool_(pool) {}

    /// Other grids for one epoch that have not run yet; nullopt if none was found.
    std::optional<EpochRequest> grids(const EpochRequest& at, const MeasuredEpoch& ran, std::mt19937& random) const;
    /// Two neighbours with another boundary, or merged; or one epoch split in two.
    std::optional<std::vector<EpochRequest>> cuts(const EpochRequest& a, const MeasuredEpoch& ran_a,
                                                  const EpochRequest& b, const MeasuredEpoch& ran_b,
                                                  std::mt19937& random) const;
    std::optional<std::vector<EpochRequest>> halves(const EpochRequest& at, const MeasuredEpoch& ran,
                                                    std::mt19937& random) const;

private:
    const Candidate& candidate(const EpochRequest& at, std::size_t k) const;
    std::vector<double> measured_by_estimated(const EpochRequest& at, const MeasuredEpoch& ran) const;
    EpochRequest quicker_op(EpochRequest at, const MeasuredEpoch& ran, std::mt19937& random) const;
    EpochRequest other_shape(EpochRequest at, const MeasuredEpoch& ran, std::mt19937& random) const;
    EpochRequest by_measured_times(EpochRequest at, const MeasuredEpoch& ran, std::mt19937& random) const;
    void make_room(EpochRequest& at, const std::vector<double>& scale, std::size_t kept) const;
    EpochRequest request_for(std::size_t first, std::size_t end, const std::vector<double>& scale,
                             std::mt19937& random) const;
    std::int64_t cores(const EpochRequest& at) const;

    const Choices& choices_;
    const OpBudget& budget_;
    const EpochPool& pool_;
};

}  // namespace ttsim::impl::ir
