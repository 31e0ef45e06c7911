// Values of a compiled model on its device, without a clock, for the compiler's format search.
#pragma once

#include "compiler/model/compiled_model.hpp"
#include "compiler/options/target_pcc.hpp"

namespace ttsim::impl::runtime {

/// For TargetPcc::measure. Throws Error as sim::run() does.
ir::Measured measured_values(const ir::CompiledModel& model, const ir::Measurement& what);

/// For TargetPcc::cycles: cycles of one execute of every program, in timing mode.
double measured_cycles(const ir::CompiledModel& model);

}  // namespace ttsim::impl::runtime
