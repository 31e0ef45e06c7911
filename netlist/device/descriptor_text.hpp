// Writes soc and cluster descriptors of a machine for compiled images; the readers of this folder accept them.
#pragma once

#include <string>

#include "netlist/device/device.hpp"

namespace ttsim::impl {

/// Soc descriptor of a chip in noc0 coordinates, with its harvested cores.
std::string soc_descriptor_text(const ChipInstance& chip);
/// Cluster descriptor of a machine with its Ethernet and host links. Chip positions are a row, not the real ones.
std::string cluster_descriptor_text(const Machine& machine);

}  // namespace ttsim::impl
