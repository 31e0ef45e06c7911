// Finds constants whose tiles a core reads repeatedly in the same order: its buffer holds them once (kernel_broadcast).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

/// Tiles per operand of `constant` that a core reads repeatedly, if a double buffer for them is smaller than all tiles.
/// `op` has its blocks. Operands with a buffer size by the user are skipped. `whole_blocks`: the chip's products need
/// complete blocks (ChipFeatures::broadcast_blocks).
std::map<int, std::int64_t> kernel_broadcasts(const Op& op, const std::vector<bool>& constant, bool whole_blocks);

/// Whether the kernel broadcasts of an op match the order of its ublocks.
bool broadcasts_match_order(const Op& op);

}  // namespace ttsim::impl::ir
