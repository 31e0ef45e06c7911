// Chooses t-streaming: a result in slices, so that a core buffers a slice instead of its whole share.
#pragma once

#include "isa/data_format.hpp"

namespace ttsim::impl::ir {

/// Number of slices of equal height for `rt` x `ct` tiles, where each tile row occurs `terms` times. The result is the
/// smallest divisor of `rt` with which a core of an 8 x `across` grid holds at most `max_bytes` of a slice.
std::int64_t slices_to_stream(std::int64_t rt, std::int64_t ct, std::int64_t terms, DataFormat format,
                              std::int64_t max_bytes, std::int64_t across = 8);

/// Number of slices of equal width: the smallest divisor of `ct` with which a core holds at most `target_bytes` of one.
/// 1 if slices of single tile rows already need at most `max_bytes` of a core.
std::int64_t column_slices_to_stream(std::int64_t rt, std::int64_t ct, DataFormat format, std::int64_t target_bytes,
                                     std::int64_t max_bytes);

}  // namespace ttsim::impl::ir
