// Splitting of products by columns, for passes and estimates.
#pragma once

#include "compiler/ir/graph.hpp"
#include "compiler/ir/tiling.hpp"

namespace ttsim::impl::ir {

constexpr std::int64_t most_product_parts = 8;  ///< maximum operands of the splice that concatenates the parts

/// Whether a node is a product of one slice with constants that no TM moves.
bool is_splittable(const Graph& graph, const Node& node);

/// The graph after all passes with products split, for estimates: constants of the parts have no values.
Graph split_for_estimate(Graph graph, const ProductParts& parts);

}  // namespace ttsim::impl::ir
