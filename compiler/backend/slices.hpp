// How the slices of a producer's result reach a consumer in the same epoch.
#pragma once

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// Most slices of the producer that must be kept at once so that the consumer can take them in its own order: 1 when it
/// takes them one by one. `slices` of the producer; `group`: how many slices after the TMs make one of the result.
std::int64_t slice_window(std::int64_t slices, const std::vector<Tm>& tms, std::int64_t group);

}  // namespace ttsim::impl::ir
