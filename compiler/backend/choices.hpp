// The choices of the policies: candidate grids of every op, and the edges between ops.
#pragma once

#include "compiler/backend/graph_solver.hpp"
#include "compiler/backend/input_time.hpp"
#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

/// An op and the grids it fits on.
struct OpChoices {
    ValueId node = 0;
    Op op;
    Choice choice;
    std::shared_ptr<const SparsePattern> pattern;
    const OpOverride* user = nullptr;  ///< the user's override, or nullptr
    std::size_t outputs = 0;           ///< model outputs that the op produces
    double first_share = 1;            ///< share of its time until its first results
    std::int64_t part = 1;             ///< device part, from 1
    bool first_of_part = false;
    std::int64_t inputs = 1;  ///< of an execute: the microbatch, or 1 in an optimizer, which runs once a step
    bool other_chip = false;  ///< the user wants another chip than for the previous op
    /// It reads a state that an op before it overwrites, so it belongs to the epoch of the previous op.
    bool with_previous = false;
    bool breaks_chip() const { return user && user->chip_break; }
    std::optional<std::int64_t> training_chip{};  ///< of a model that is trained on several chips
    std::optional<std::int64_t> chip() const { return user && user->chip ? user->chip : training_chip; }
    bool begins() const { return first_of_part || other_chip || (user && (user->epoch_break || user->chip_break)); }
};

/// Added to the time of a division into epochs for each op apart from its `with_previous`: more than any time, so that
/// policies do so only where the ops do not fit together.
inline constexpr double apart_cycles = 1e12;

struct OpEdge {
    std::size_t operand = 0;  ///< of the consumer
    std::int64_t window = 1;  ///< producer slices that the consumer needs at the same time
};

struct Choices {
    std::vector<OpChoices> ops;                        ///< in order
    std::vector<SolverEdge> edges;                     ///< by consumer, then operand; ops by index in `ops`
    std::vector<OpEdge> details;                       ///< per edge
    std::vector<std::vector<std::size_t>> into, from;  ///< per op: its edges
    std::vector<std::size_t> like;                     ///< per op: the first op with equal candidates
    OpTimes times;
    const Graph* graph = nullptr;
    std::string name(std::size_t op) const { return ops[op].op.name(); }
    double apart(std::size_t op) const { return ops[op].with_previous ? apart_cycles : 0; }  ///< if it begins an epoch
    /// The op nearest to `op` after `first` and before `end` that may begin an epoch; `op` if there is none.
    std::size_t divide(std::size_t first, std::size_t end, std::size_t op) const;
};

/// Throws Error(Unsupported) with every op that fits on no grid: the exceeded limit, the excess, and remedies.
Choices list_choices(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options);

/// An op that fits on no grid, with the least L1 that it needs on a core.
struct OpWithoutGrid {
    ValueId op = 0;
    std::int64_t least_bytes = 0, usable_bytes = 0;
};
std::vector<OpWithoutGrid> ops_without_grid(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options);

}  // namespace ttsim::impl::ir
