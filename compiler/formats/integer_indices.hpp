// Finds integers inside a model that device formats may not hold exactly: indices of maxima, look-ups, sums of
// products, comparisons. Ops of the host (mark-host) are excluded.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl {
struct ChipParams;
}

namespace ttsim::impl::ir {

/// One line per kind of op, with the first such op, their number, and a remedy. `graph`: the device graph before
/// decomposition.
std::vector<std::string> integer_warnings(const Graph& graph, DataFormat df, const ChipParams& chip);

}  // namespace ttsim::impl::ir
