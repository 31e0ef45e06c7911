// Plans of all graphs that a netlist's programs execute.
#pragma once

#include <functional>

#include "netlist/device/device.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl::bridge {

/// Calls `visit` once for each distinct epoch, in the order of the programs, with its number. Throws impl::L1Error,
/// impl::Error.
void each_epoch(const impl::Netlist& resolved, const impl::Machine& machine,
                const std::function<void(std::int64_t epoch, const impl::Plan& plan)>& visit);

}  // namespace ttsim::impl::bridge
