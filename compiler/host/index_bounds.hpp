// Below which numbers a graph's inputs stay that name places.
#pragma once

#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// By node: the least size of an axis that its numbers name places of, directly or once they were moved or cast;
/// `otherwise` where they name none.
std::vector<std::int64_t> index_bounds(const Graph& graph, std::int64_t otherwise);

}  // namespace ttsim::impl::ir
