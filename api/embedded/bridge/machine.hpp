// Which machine a netlist runs on, as a backend's configuration says.
#pragma once

#include "api/embedded/bridge/bridge.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::bridge {

/// Throws impl::Error(Input).
impl::Machine machine_for(const impl::Netlist& netlist, const DeviceOptions& options);
/// Takes rows away from a chip: those that it has.
void take_rows(impl::Machine& machine, std::int64_t chip, const std::vector<std::uint32_t>& rows);

}  // namespace ttsim::impl::bridge
