// Simulation of a compiled netlist, for the compiler.
#pragma once

#include "compiler/model/compile.hpp"

namespace ttsim::impl::runtime {

/// One execute of a netlist on the device, for CompileOptions::simulate.
ir::SimulatedRun simulated_run(const ir::EmittedModel& model, const ir::CompileOptions& options);

}  // namespace ttsim::impl::runtime
