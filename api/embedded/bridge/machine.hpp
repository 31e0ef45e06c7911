// Which machine a netlist runs on, as a backend's configuration says.
#pragma once

#include "api/embedded/bridge/bridge.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace tt_bridge {

/// Throws tt::Error(Input).
tt::Machine machine_for(const tt::Netlist& netlist, const DeviceOptions& options);
/// Takes rows away from a chip: those that it has.
void take_rows(tt::Machine& machine, std::int64_t chip, const std::vector<std::uint32_t>& rows);

}  // namespace tt_bridge
