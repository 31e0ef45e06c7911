// Builds the reports of decisions for --explain.
#pragma once

#include "compiler/backend/epoch_solver.hpp"

namespace ttsim::impl::ir {

/// The decision for op number `op`. `chosen`: the candidates of all ops up to it.
Decision decision(const Choices& choices, const EdgeCosts& costs, const Epoch& epoch, std::size_t number,
                  std::size_t op, const std::vector<std::size_t>& chosen);

}  // namespace ttsim::impl::ir
