// The rows that a transpose moves, where it keeps the last axis.
#pragma once

#include "compiler/ir/literal.hpp"

namespace ttsim::impl::ir {

/// For each row of the transpose of `dims` by `perm` the row of the source, counted over all leading axes. Requires
/// that the last axis stays the last one and has elements.
GatherMap transposed_rows(const Dims& dims, const std::vector<std::int64_t>& perm);

}  // namespace ttsim::impl::ir
