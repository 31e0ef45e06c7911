// Checks the rules of docs/netlist.md "Rejected input". Errors name their place in the file.
#pragma once

#include "isa/arch.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Expands instances (target_device lists), links names, computes operand shapes (Op::cfg.in, in_tile). Throws Error
/// with all problems. Returns the resolved copy that all later stages use.
Netlist resolve(const Netlist& read);

/// Checks rules that depend on the chip (features, grid, DRAM) and on the complete file. `grid`: of every chip.
void validate(const Netlist& resolved, const ChipParams& chip, const DeviceGrid& grid, std::int64_t chips,
              Diagnostics& out);

}  // namespace ttsim::impl
