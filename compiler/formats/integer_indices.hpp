// Integers in the midst of a model that the device computes and its formats do not hold: places of maxima,
// look-ups, sums of products, comparisons. What the host takes (mark-host) is not among them.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl {
struct ChipParams;
}

namespace ttsim::impl::ir {

/// One line a kind of op, with the first such op, how many there are, and a remedy. `graph` is the device's part of a
/// model, before its ops are taken apart.
std::vector<std::string> integer_warnings(const Graph& graph, DataFormat df, const ChipParams& chip);

}  // namespace ttsim::impl::ir
