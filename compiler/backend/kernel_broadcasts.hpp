// Constants whose tiles a core takes over and over in the same order: its buffer holds them once (kernel_broadcast).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

/// For operands of `constant`, in tiles: what a core reads of an input is that many tiles repeated, and the buffer for
/// them, which is filled twice, takes less than all. `op` has its blocks; operands that the user gave a buffer are left
/// alone. `whole_blocks`: the chip's products hold whole blocks (ChipFeatures::broadcast_blocks).
std::map<int, std::int64_t> kernel_broadcasts(const Op& op, const std::vector<bool>& constant, bool whole_blocks);

/// Whether the kernel broadcasts of an op are right for the order of its micro-blocks.
bool broadcasts_hold(const Op& op);

}  // namespace ttsim::impl::ir
