// Ops that are refused with any epochs: a search that was refused because of one need not be tried in other ways.
#pragma once

#include <span>
#include <string>

#include "compiler/backend/edge_limits.hpp"

namespace tt::ir {

/// Whether an op of one of these origins (Node::origin), or an op near it, is within the limits with no grids, wherever
/// epochs end and whichever edges go through DRAM.
bool are_impossible(const Choices& choices, const EdgeCosts& costs, std::span<const std::string> origins);

}  // namespace tt::ir
