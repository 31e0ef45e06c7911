// A compilation as the folder that Reportify shows: graphs of passes, placement, memory.
#pragma once

#include <string>

#include "compiler/model/compiled_model.hpp"
#include "netlist/device/device.hpp"

namespace ttsim::impl::report {

/// The folder `testify/ll-sw/<test>`; `shown`: where it will be. Of `model.passes` those whose stage has a name get it
/// ("optimized_graph"), others their number and pass.
void write_reportify(const ir::CompiledModel& model, const Machine& machine, const std::string& test,
                     const std::string& folder, const std::string& shown);

}  // namespace ttsim::impl::report
