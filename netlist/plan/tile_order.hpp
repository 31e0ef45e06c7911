// The order in which the tiles of one core's output buffer are sent, per pipe, as runs.
#pragma once

#include "kernels/ops/op_def.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Consecutive tiles in the output order of one core of the producer, read one after the other.
struct TileSpan {
    static constexpr std::int64_t padding = -1;
    std::int64_t source = 0;            ///< core of the producer, row-major over its grid, or `padding`
    std::int64_t first = 0, tiles = 0;  ///< positions from the start of an input: slice by slice, ublock by ublock
    friend bool operator==(const TileSpan&, const TileSpan&) = default;
};
/// Spans of maximal length: the next span is of another core or not contiguous.
using TileOrder = std::vector<TileSpan>;

/// The order of each pipe of operand k for one input, in order of consumption; one pipe per set of cores that need the
/// same tiles. A kernel_broadcast ends it after the tiles of its buffer.
std::vector<TileOrder> tile_orders(const OpConfig& consumer, std::size_t k, const OperandTms& tms,
                                   const Blocking& producer);
/// The order of each buffer of a queue for one entry.
std::vector<TileOrder> tile_orders(const Queue& consumer, const Blocking& producer);

}  // namespace ttsim::impl
