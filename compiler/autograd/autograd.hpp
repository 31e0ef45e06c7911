// Automatic differentiation of a graph in reverse.
//
//   forward nodes ... -> outputs      loss_OUTPUT (inputs) -> backward nodes ... -> gradients
//
// The gradient of a value with several readers is the sum over them. A value that no wanted tensor reaches has none.
#pragma once

#include <map>
#include <set>
#include <string>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct AutogradRequest {
    std::set<std::string> wrt;  ///< names of inputs and constants of floats to differentiate by
    /// Outputs that are losses: their gradient is 1. The gradients of the other outputs are inputs named
    /// loss_OUTPUT, with the type of the output. Integer outputs have none.
    std::set<std::string> losses;
};

struct Gradients {
    std::map<std::string, ValueId> of;        ///< by the name in `wrt`; absent if no output depends on it
    std::map<std::string, ValueId> incoming;  ///< by output: the input loss_OUTPUT
    std::size_t first_backward = 0;           ///< nodes from here on are backward nodes
};

/// Adds the backward nodes to the graph. Throws Error(Input) for a name in the request that the graph lacks, and
/// Error(Unsupported) at the node of an op without gradient that lies between a wanted tensor and an output.
Gradients differentiate(Graph& graph, const AutogradRequest& request);

}  // namespace ttsim::impl::ir
