// What the policies choose from: for every op the grids it fits on, and the edges between ops.
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
    const OpOverride* user = nullptr;  ///< what the user decides
    std::size_t outputs = 0;           ///< of the model
    double first_share = 1;            ///< of its time, until it gives the first of its result
    std::int64_t part = 1;             ///< of the device's
    bool first_of_part = false;
    bool other_chip = false;  ///< than the user wants for the op before it
    bool breaks_chip() const { return user && user->chip_break; }
    std::optional<std::int64_t> chip() const { return user ? user->chip : std::nullopt; }
    bool begins() const { return first_of_part || other_chip || (user && (user->epoch_break || user->chip_break)); }
};

struct OpEdge {
    std::size_t operand = 0;  ///< of the consumer
    std::int64_t window = 1;  ///< slices of the producer that the consumer needs at once
};

struct Choices {
    std::vector<OpChoices> ops;                        ///< in order
    std::vector<SolverEdge> edges;                     ///< by consumer, then operand; ops by their place in `ops`
    std::vector<OpEdge> details;                       ///< of the edges
    std::vector<std::vector<std::size_t>> into, from;  ///< per op: its edges
    std::vector<std::size_t> like;                     ///< per op: the first whose grids take the same in all
    OpTimes times;
    const Graph* graph = nullptr;
    std::string name(std::size_t op) const { return ops[op].op.name(); }
};

/// Throws Error(Unsupported) with every op that fits on no grid: which limit, by how much, what would help.
Choices list_choices(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options);

/// Ops of a graph that fit on no grid.
std::vector<ValueId> ops_without_grid(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options);

}  // namespace ttsim::impl::ir
