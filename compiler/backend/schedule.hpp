// The balancer's second half and the placer: epochs, and a rectangle of cores for each op.
#pragma once

#include "compiler/backend/blocking.hpp"

namespace tt::ir {

struct PlacedOp {
    ValueId node = 0;
    Op op;
    std::vector<bool> resident;                    ///< per operand of op
    std::shared_ptr<const SparsePattern> pattern;  ///< of a sparse product
    std::size_t epoch = 0;
    std::string why;  ///< for --explain
};

enum class Policy : std::uint8_t {
    MinimizeGrid,  ///< the smallest grid each op fits on
    Balanced,      ///< the smallest grid that meets a target time, the target with the least estimated total
};

struct Schedule {
    std::vector<PlacedOp> ops;  ///< in order
    std::size_t epochs = 0;
    std::size_t op_of(ValueId node) const;  ///< its place in ops
    std::map<ValueId, std::size_t> index;
    double estimated_cycles = 0;  ///< per input: the slowest op of each epoch, and changing epochs
};

/// Throws Error(Unsupported) with every op that fits on no grid: which limit, by how much, what would help.
Schedule make_schedule(const Graph& graph, const OpBudget& budget, Policy policy);

}  // namespace tt::ir
