// The Plans of all graphs that a netlist's programs execute.
#pragma once

#include <functional>

#include "netlist/device/device.hpp"
#include "netlist/plan/plan.hpp"

namespace tt_bridge {

/// `visit` gets each different epoch once, in the order of the programs, and its number. Throws tt::L1Error, tt::Error.
void each_epoch(const tt::Netlist& resolved, const tt::Machine& machine,
                const std::function<void(std::int64_t epoch, const tt::Plan& plan)>& visit);

}  // namespace tt_bridge
