// The order in which the tiles of one core's output buffer leave it: what a pipe takes, run by run.
#pragma once

#include "kernels/ops/op_def.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Neighbours in the output order of one core of the producer, taken one after the other.
struct TileSpan {
    static constexpr std::int64_t padding = -1;
    std::int64_t source = 0;            ///< core of the producer, row-major over its grid, or `padding`
    std::int64_t first = 0, tiles = 0;  ///< positions from the start of an input: slice by slice, ublock by ublock
    friend bool operator==(const TileSpan&, const TileSpan&) = default;
};
/// As long as they can be: the next is of another core, or no neighbour.
using TileOrder = std::vector<TileSpan>;

/// What each pipe of operand k takes for one input, in order of consumption; one pipe for all cores that need the same
/// tiles. A kernel_broadcast ends it after the tiles that its buffer holds.
std::vector<TileOrder> tile_orders(const OpConfig& consumer, std::size_t k, const OperandTms& tms,
                                   const Blocking& producer);
/// What each buffer of a queue takes for one entry.
std::vector<TileOrder> tile_orders(const Queue& consumer, const Blocking& producer);

}  // namespace ttsim::impl
