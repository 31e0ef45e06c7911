// Epochs that ran on the simulated chip, and the quickest way through the model that can be put together of them.
//
// An epoch takes nearly the same time whatever runs before and behind it, and models repeat their layers: what was
// measured for a run of ops holds for every run of ops alike.
#pragma once

#include <map>

#include "compiler/backend/choices.hpp"
#include "compiler/backend/epochs.hpp"
#include "compiler/options/simulated_run.hpp"

namespace ttsim::impl::ir {

struct RanEpoch {
    double target = 0;
    std::vector<std::size_t> chosen;  ///< candidate of each op
    double cycles = 0;                ///< the mean of its runs
    std::vector<double> busy;         ///< of each op, in its last run
    std::int64_t runs = 0;
};

/// Epochs in order and what they took, one by one, in the pool.
struct Way {
    std::vector<EpochWish> epochs;
    std::vector<const RanEpoch*> ran;
    double cycles = 0;
};

class EpochPool {
public:
    explicit EpochPool(const Choices& choices);
    void add(const Schedule& schedule, const SimulatedRun& run);
    /// The quickest; without epochs when nothing was added.
    Way quickest() const;
    bool knows(const EpochWish& wish) const;  ///< with just these candidates

private:
    using Kinds = std::vector<std::size_t>;
    Kinds kinds(std::size_t first, std::size_t end) const;
    const RanEpoch* quickest(std::size_t first, std::size_t end) const;

    const Choices& choices_;
    Kinds kinds_;  // per op; ops alike have one
    std::map<Kinds, std::vector<RanEpoch>> ran_;
};

}  // namespace ttsim::impl::ir
