// A compilation as a folder for Reportify: graphs of passes, placement, memory.
#pragma once

#include <string>

#include "compiler/model/compiled_model.hpp"
#include "netlist/device/device.hpp"

namespace ttsim::impl::report {

/// Writes the folder `testify/ll-sw/<test>`; `shown`: its final path. Passes with a named stage get that name
/// ("optimized_graph"), others their number and name.
void write_reportify(const ir::CompiledModel& model, const Machine& machine, const std::string& test,
                     const std::string& folder, const std::string& shown);

}  // namespace ttsim::impl::report
