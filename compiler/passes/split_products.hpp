// Which products split-products can make in parts.
#pragma once

#include "compiler/ir/graph.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

constexpr std::int64_t most_product_parts = 8;  ///< operands of the splice that brings them together

/// Products of one slice with constants that nothing moves on the way.
bool may_be_in_parts(const Graph& graph, const Node& node);

/// The graph behind all passes with products in parts, to estimate: the constants of the parts have no values.
Graph with_parts(Graph graph, const ProductParts& parts);

}  // namespace ttsim::impl::ir
