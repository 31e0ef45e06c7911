// Signs of values that hold for all inputs.
#pragma once

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// How many ops deep operands are examined.
inline constexpr int sign_depth = 4;

/// Whether every element is above 0.
bool is_positive(const Graph& graph, ValueId id, int depth = sign_depth);
/// Whether no element is below 0.
bool is_never_below_zero(const Graph& graph, ValueId id, int depth = sign_depth);

/// A power whose sign depends on both operands, or that may be NaN. The device computes powers by logarithms, which
/// need a positive base.
bool is_power_of_any_sign(const Graph& graph, const Node& node);

}  // namespace ttsim::impl::ir
