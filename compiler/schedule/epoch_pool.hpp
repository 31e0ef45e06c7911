// Measured epochs, and the fastest sequence of them that covers the model.
//
// The time of an epoch hardly depends on its neighbours, and models repeat their layers. So a measurement for a run of
// ops is valid for every equal run.
#pragma once

#include <map>

#include "compiler/backend/choices.hpp"
#include "compiler/backend/epochs.hpp"
#include "compiler/options/simulated_run.hpp"

namespace ttsim::impl::ir {

struct MeasuredEpoch {
    double target = 0;
    std::vector<std::size_t> chosen;  ///< candidate of each op
    double cycles = 0;                ///< mean of its runs
    std::vector<double> busy;         ///< busy cycles per op in the last run
    std::int64_t runs = 0;
};

/// Consecutive epochs that cover the model, with their measurements in the pool.
struct EpochSequence {
    std::vector<EpochRequest> epochs;
    std::vector<const MeasuredEpoch*> ran;
    double cycles = 0;
};

class EpochPool {
public:
    explicit EpochPool(const Choices& choices);
    void add(const Schedule& schedule, const SimulatedRun& run);
    /// The fastest sequence; empty if nothing was added.
    EpochSequence quickest() const;
    bool knows(const EpochRequest& request) const;  ///< whether these candidates were measured

private:
    using Kinds = std::vector<std::size_t>;
    Kinds kinds(std::size_t first, std::size_t end) const;
    const MeasuredEpoch* quickest(std::size_t first, std::size_t end) const;

    const Choices& choices_;
    Kinds kinds_;  // per op; equal for equal ops
    std::map<Kinds, std::vector<MeasuredEpoch>> ran_;
};

}  // namespace ttsim::impl::ir
