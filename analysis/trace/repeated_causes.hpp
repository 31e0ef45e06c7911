// Causes that stand in every layer of a model are told as one.
#pragma once

#include <vector>

#include "analysis/trace/advice.hpp"

namespace ttsim::impl::trace {

/// Causes of one kind whose ops, and queues, stand for each other (NameGroups), as one; the others as they are.
std::vector<Reason> joined(Reader& trace, std::vector<Reason> causes);

}  // namespace ttsim::impl::trace
