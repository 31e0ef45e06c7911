// Iteration over the lines of a tensor along one of its axes.
#pragma once

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct Lines {
    std::size_t axis = 0;
    std::int64_t size = 1, step = 1, lines = 1;  ///< elements of a line; stride along it; number of lines
    std::int64_t first(std::int64_t line) const { return line / step * step * size + line % step; }
};

/// The lines along the attribute `axis` of the node. Throws Error(Input) at node.loc if there is no such axis.
Lines lines_of(const Node& node, const Dims& dims);

}  // namespace ttsim::impl::ir
