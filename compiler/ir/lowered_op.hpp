// The device ops of a lowered model by name, for callers that choose overrides.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct LoweredOp {
    std::string name;
    std::string type;                   ///< type in the netlist
    std::string origin;                 ///< the model's node that it computes
    std::vector<std::string> operands;  ///< names of ops, inputs and constants
};

/// The device ops of a graph, in order.
std::vector<LoweredOp> lowered_ops(const Graph& graph);

}  // namespace ttsim::impl::ir
