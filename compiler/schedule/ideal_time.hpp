// What the time of a model is measured by before it is scheduled: whether a change of some ops is worth a try.
#pragma once

#include <cstdint>

#include "compiler/backend/choices.hpp"

namespace ttsim::impl::ir {

/// Of the tiles of an axis, those one of so many cores gets.
std::int64_t share(std::int64_t tiles, std::int64_t cores);

/// Of an op on the grid it likes best.
double least_cycles(const OpChoices& op);

/// Of all its cores together, on the grid where these are least.
double core_cycles(const OpChoices& op);

/// With the work shared evenly by all cores; an op that takes longer holds up the others.
double ideal_cycles(const Choices& choices, const OpBudget& budget);

/// Of the ideal cycles: what a change has to promise.
constexpr double worth_a_try = 0.1;

}  // namespace ttsim::impl::ir
