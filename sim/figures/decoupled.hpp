// Timing of one op alone: operands are always available, the output buffer always has room, and the NoC is not used.
// Single-op sweeps on a chip measure the same.
#pragma once

#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

/// Runs the op for the inputs of the first launch that contains its graph. The report then contains this op only.
/// Throws Error(Input) when no program executes such an op.
void run_decoupled(RunState& state, const std::string& op);

}  // namespace ttsim::impl::sim
