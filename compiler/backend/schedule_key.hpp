// Keys of a cache of schedules.
#pragma once

#include <string>

#include "compiler/backend/choices.hpp"

namespace ttsim::impl::ir {

/// All of a graph, its candidates and the budget that schedules depend on. Constants count by their types, and those of
/// sparse products by their patterns. Not the user's overrides.
std::string schedule_key(const Choices& choices, const OpBudget& budget);
/// The options without overrides that a single schedule depends on.
std::string schedule_key(const ScheduleOptions& options);

}  // namespace ttsim::impl::ir
