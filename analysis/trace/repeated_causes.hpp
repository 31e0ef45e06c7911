// Joins causes that occur in every layer of a model.
#pragma once

#include <vector>

#include "analysis/trace/advice.hpp"

namespace ttsim::impl::trace {

/// Joins causes of one kind whose ops and queues are in the same groups (NameGroups); the others are unchanged.
std::vector<Reason> joined(Reader& trace, std::vector<Reason> causes);

}  // namespace ttsim::impl::trace
