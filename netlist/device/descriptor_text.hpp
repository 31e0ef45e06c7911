// Descriptors of a machine as the readers of this folder take them: what a compiled image carries of its target.
#pragma once

#include <string>

#include "netlist/device/device.hpp"

namespace ttsim::impl {

/// One chip in noc0 coordinates, its harvested cores named.
std::string soc_descriptor_text(const ChipInstance& chip);
/// Chips in a row, which says nothing of where they stand; their links and host links.
std::string cluster_descriptor_text(const Machine& machine);

}  // namespace ttsim::impl
