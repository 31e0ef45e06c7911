// Computes how many producer slices a consumer in the same epoch needs at the same time.
#pragma once

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// The largest number of producer slices that must be buffered so that the consumer can read them in its order; 1 if it
/// reads them one by one. `slices`: of the producer. `group`: slices after the TMs per slice of the result.
std::int64_t slice_window(std::int64_t slices, const std::vector<Tm>& tms, std::int64_t group);

}  // namespace ttsim::impl::ir
