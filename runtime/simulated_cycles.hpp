// What the compiler's simulated policy asks for.
#pragma once

#include "compiler/compile.hpp"

namespace tt::runtime {

/// Cycles of one execute of a netlist on the device, for CompileOptions::simulate.
double simulated_cycles(const ir::EmittedModel& model, const ir::CompileOptions& options);

}  // namespace tt::runtime
