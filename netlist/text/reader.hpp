// Reads YAML text into a Netlist. Every node keeps its place in the file; repeated keys are processed in order; unknown
// keys are errors.
#pragma once

#include <string>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Throws Error(Input) with all problems of the file. resolve() and validate() check shapes and rules that need the
/// complete netlist or a chip.
Netlist read_netlist(const std::string& file);
Netlist read_netlist_text(const std::string& text, const std::string& name);

}  // namespace ttsim::impl
