// Epochs and grids for one input at a time.
#pragma once

#include <span>
#include <vector>

#include "compiler/backend/epoch_solver.hpp"

namespace tt::ir {

/// All ops in order, cut into epochs with the least sum of what one input takes from op to op and of changing epochs.
/// In an epoch every op takes the grid with the least time and price of its cores, at the price at which all fit: where
/// ops wait for each other, a core belongs where it shortens the sum most. Loading the first epoch does not count.
/// Throws as choose_epochs() does.
std::vector<Epoch> latency_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                  const ScheduleOptions& options);

/// One input alone through ops that follow each other, as far as they are known.
class InputTime {
public:
    /// Of none yet; `first`: the op that comes next.
    InputTime(const Choices& choices, std::size_t first) : choices_(&choices), first_(first) {}
    /// The next op, with that candidate.
    void add(std::size_t candidate);
    std::size_t end() const { return first_ + made_.size(); }  ///< of the ops that are known
    double clocks() const { return clocks_; }                  ///< until the last of all their results is there

private:
    /// When the first of a result is there, and all of it.
    struct Span {
        double first = 0, last = 0;
    };
    const Choices* choices_;
    std::size_t first_ = 0;
    std::vector<Span> made_;  // per op
    double clocks_ = 0;
};

/// Clocks of one input alone through the ops from `first` on with these candidates.
double latency_of(const Choices& choices, std::size_t first, std::span<const std::size_t> chosen);

}  // namespace tt::ir
