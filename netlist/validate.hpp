// The rules of docs/netlist.md "Rejected input", each with a message at its place.
#pragma once

#include "isa/arch.hpp"
#include "netlist/netlist.hpp"

namespace tt {

/// Expands instances (target_device lists), links names, computes operand shapes (Op::cfg.in, in_tile).
/// Throws Error with all problems. Returns the resolved copy every later stage works on.
Netlist resolve(const Netlist& read);

/// Rules that depend on the chip (features, grid, DRAM) and on the whole file. `rows` x `cols`: logical worker grid,
/// `channels`: DRAM channels, `eth`: Ethernet channels, per chip id (missing ids take chip id 0's).
struct DeviceGrid {
    std::int64_t rows = 0, cols = 0, dram_channels = 0, eth_channels = 0;
    std::int64_t dram_channel_bytes = 0;
};
void validate(const Netlist& resolved, const ChipParams& chip, const DeviceGrid& grid, std::int64_t chips,
              Diagnostics& out);

}  // namespace tt
