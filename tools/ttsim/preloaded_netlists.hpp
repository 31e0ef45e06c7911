// Netlists that 'ttsim batch' reads once, for the processes of its requests.
#pragma once

#include <memory>
#include <string>

#include "netlist/netlist.hpp"

namespace ttsim::impl::cli {

/// Reads the netlist, unless it was read before and the file is unchanged. Throws Error(Input).
void preload_netlist(const std::string& file);

/// The netlist of `file` if this process or its parent read it before and the file is unchanged, else null.
std::shared_ptr<const Netlist> preloaded_netlist(const std::string& file);

}  // namespace ttsim::impl::cli
