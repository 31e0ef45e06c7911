// Remedies for a cause, in terms of the netlist and the compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/advice.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::report {

/// Most promising first, with numbers of the netlist if it is known.
std::vector<std::string> remedies(const trace::Reason& cause, const std::optional<Netlist>& netlist);

}  // namespace ttsim::impl::report
