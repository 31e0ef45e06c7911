// Optimizers as nodes of the graph, run on the device once a step.
#pragma once

#include <span>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

/// Adds for each parameter of `trained` the nodes that compute its next value from its summed gradient, and an output
/// with the parameter's name for it. The learning rate is a parameter of its own, which the host may change. With
/// OptimizerKind::None it adds nothing: the host reads the gradients and writes the parameters.
void add_optimizer(Graph& graph, std::span<const ValueId> trained, const OptimizerSettings& settings);

}  // namespace ttsim::impl::ir
