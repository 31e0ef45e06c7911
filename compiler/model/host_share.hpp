// Computes the host's share of a compiled model's work.
#pragma once

#include "compiler/model/compiled_model.hpp"

namespace ttsim::impl::ir {

/// Multiply-adds of matrix products and convolutions, per sample.
struct MultiplyAdds {
    double host = 0, device = 0;
};
/// The device's work: that of the reference model minus the host's, if there is a reference; else that of the netlist's
/// products on full tiles.
MultiplyAdds multiply_adds(const CompiledModel& model);

/// Whether no device result is used.
bool all_on_host(const HostProgram& program);

}  // namespace ttsim::impl::ir
