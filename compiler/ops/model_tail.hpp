// Packing of the results of a model_tail (ops/model_tail.cpp).
#pragma once

#include <vector>

#include "compiler/ir/literal.hpp"

namespace ttsim::impl::ir {

/// i64[n]: for each result its type, rank, dimensions and elements, with floats as their bits.
Literal packed_results(const std::vector<Literal>& results);

}  // namespace ttsim::impl::ir
