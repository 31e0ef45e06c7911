// Computes a model_tail (ops/model_tail.cpp).
#pragma once

#include <span>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// All results. Throws Error at the node's location for invalid values.
std::vector<Literal> tail_values(const Node& node, std::span<const Literal* const> in);

}  // namespace ttsim::impl::ir
