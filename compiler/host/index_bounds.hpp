// Upper bounds of graph inputs that are indices.
#pragma once

#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// Per node: the least size of an axis that its values index, directly or after data movement ops or casts. `otherwise`
/// for nodes that are not indices.
std::vector<std::int64_t> index_bounds(const Graph& graph, std::int64_t otherwise);

}  // namespace ttsim::impl::ir
