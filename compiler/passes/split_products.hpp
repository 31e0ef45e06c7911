// Which products split-products can make in parts.
#pragma once

#include "compiler/ir/graph.hpp"

namespace tt::ir {

constexpr std::int64_t most_product_parts = 8;  ///< operands of the splice that brings them together

/// Products of one slice with constants that nothing moves on the way.
bool may_be_in_parts(const Graph& graph, const Node& node);

}  // namespace tt::ir
