// Writes a Netlist as YAML text that reads back equal.
#pragma once

#include <string>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

std::string write_netlist(const Netlist& netlist);

}  // namespace ttsim::impl
