// The rules of docs/netlist.md "Rejected input", each with a message at its place.
#pragma once

#include "isa/arch.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Expands instances (target_device lists), links names, computes operand shapes (Op::cfg.in, in_tile).
/// Throws Error with all problems. Returns the resolved copy every later stage works on.
Netlist resolve(const Netlist& read);

/// Rules that depend on the chip (features, grid, DRAM) and on the whole file. `grid`: of every chip.
void validate(const Netlist& resolved, const ChipParams& chip, const DeviceGrid& grid, std::int64_t chips,
              Diagnostics& out);

}  // namespace ttsim::impl
