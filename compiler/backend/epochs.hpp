// Which ops run together, and on which grids: the choice of the policies.
#pragma once

#include "compiler/backend/placer.hpp"
#include "compiler/backend/schedule.hpp"

namespace tt::ir {

/// An op and the grids it fits on.
struct OpChoices {
    ValueId node = 0;
    Op op;
    Choice choice;
    std::shared_ptr<const SparsePattern> pattern;
    bool begins = false;  ///< an epoch must begin with it
};

struct Epoch {
    std::size_t first = 0;                       ///< of the ops
    std::vector<const Candidate*> chosen;        ///< of each op from `first` on
    std::vector<Place> places;                   ///< as many
    double target = 0;                           ///< cycles
    std::size_t end() const { return first + chosen.size(); }
};

/// All ops in order, cut into epochs.
std::vector<Epoch> choose_epochs(const std::vector<OpChoices>& ops, const OpBudget& budget,
                                 const ScheduleOptions& options);

/// The smallest grid that meets the target, of these the fastest; the fastest when none does.
const Candidate* candidate_for(const Choice& choice, double target);

}  // namespace tt::ir
