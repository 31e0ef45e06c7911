// Ideal times of a model before scheduling, to decide whether a change of some ops may be worth it.
#pragma once

#include <cstdint>

#include "compiler/backend/choices.hpp"

namespace ttsim::impl::ir {

/// Tiles of an axis per core, on the largest divisor of `tiles` that is at most `cores`.
std::int64_t tiles_per_core(std::int64_t tiles, std::int64_t cores);

/// Cycles of an op on its fastest grid.
double min_cycles(const OpChoices& op);

/// Minimum core cycles (cycles * cores) of an op over its grids.
double min_core_cycles(const OpChoices& op);

/// Lower bound of the cycles per input: by the slowest op, and by the work of all ops spread evenly over all cores.
double lower_bound_cycles(const Choices& choices, const OpBudget& budget);

/// Share of the ideal cycles that a change must promise to gain.
constexpr double min_gain_share = 0.1;

}  // namespace ttsim::impl::ir
