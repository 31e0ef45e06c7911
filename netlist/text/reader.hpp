// YAML text -> Netlist. Every node has a place; repeated keys are processed in order; anything unknown is an error.
#pragma once

#include <string>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Throws Error(Input) with all problems of the file. Shapes and rules that need the whole netlist or a chip are
/// checked by resolve() and validate().
Netlist read_netlist(const std::string& file);
Netlist read_netlist_text(const std::string& text, const std::string& name);

}  // namespace ttsim::impl
