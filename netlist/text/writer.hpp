// Netlist -> YAML text that reads back equal.
#pragma once

#include <string>

#include "netlist/netlist.hpp"

namespace tt {

std::string write_netlist(const Netlist& netlist);

}  // namespace tt
