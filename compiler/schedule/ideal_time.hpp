// Ideal times of a model before scheduling, to decide whether a change of some ops may be worth it.
#pragma once

#include <cstdint>

#include "compiler/backend/choices.hpp"

namespace ttsim::impl::ir {

/// Tiles of an axis per core, for at most this many cores.
std::int64_t share(std::int64_t tiles, std::int64_t cores);

/// Cycles of an op on its fastest grid.
double least_cycles(const OpChoices& op);

/// Least core cycles (cycles * cores) of an op over its grids.
double core_cycles(const OpChoices& op);

/// Cycles with all work shared evenly by all cores, but at least those of the slowest op.
double ideal_cycles(const Choices& choices, const OpBudget& budget);

/// Share of the ideal cycles that a change must promise to gain.
constexpr double min_gain_share = 0.1;

}  // namespace ttsim::impl::ir
