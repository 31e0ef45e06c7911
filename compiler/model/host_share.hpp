// How much of a compiled model's work the host does.
#pragma once

#include "compiler/model/compiled_model.hpp"

namespace ttsim::impl::ir {

/// Multiply-adds of matrix products and convolutions, for a sample.
struct MultiplyAdds {
    double host = 0, device = 0;
};
/// The device's: all of the model, where it is known in float32, without the host's; else those of the netlist's
/// products, on whole tiles.
MultiplyAdds multiply_adds(const CompiledModel& model);

/// Whether the device computes nothing that anybody reads.
bool all_on_host(const HostProgram& program);

}  // namespace ttsim::impl::ir
