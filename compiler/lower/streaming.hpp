// When a result goes in slices of rows (t-streaming), so that a core buffers a slice instead of its whole share.
#pragma once

#include "isa/data_format.hpp"

namespace ttsim::impl::ir {

/// Into how many slices of equal height a tensor of `rt` x `ct` tiles is cut, each tile row `terms` times: the least
/// with which no core needs to hold more than `most_bytes` of one slice on a grid of 8 x `across`. 1: none; a divisor
/// of `rt`.
std::int64_t slices_to_stream(std::int64_t rt, std::int64_t ct, std::int64_t terms, DataFormat format,
                              std::int64_t most_bytes, std::int64_t across = 8);

/// Into how many slices of equal width: the least with which no core needs to hold more than `wanted_bytes` of one. 1
/// where no core needs to hold more than `most_bytes` with slices of single tile rows; a divisor of `ct`.
std::int64_t column_slices_to_stream(std::int64_t rt, std::int64_t ct, DataFormat format, std::int64_t wanted_bytes,
                                     std::int64_t most_bytes);

}  // namespace ttsim::impl::ir
