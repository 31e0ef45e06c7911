// Creates the machine of a netlist from a backend's configuration.
#pragma once

#include "api/embedded/bridge/bridge.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::bridge {

/// Throws impl::Error(Input).
impl::Machine machine_for(const impl::Netlist& netlist, const DeviceOptions& options);
/// Harvests rows of a chip. Throws impl::Error(Input) for rows that it does not have.
void harvest_rows(impl::Machine& machine, std::int64_t chip, const std::vector<std::uint32_t>& rows);

}  // namespace ttsim::impl::bridge
