// What the netlist or the compiler offers against a cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/advice.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::report {

/// Most promising first, with the numbers of the netlist where it is known.
std::vector<std::string> remedies(const trace::Reason& cause, const std::optional<Netlist>& netlist);

}  // namespace ttsim::impl::report
