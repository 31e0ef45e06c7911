// One op alone: operands are always there, the output buffer always has room, nothing passes the NoC. This is what
// single-op sweeps on a chip measure, with neighbours that are infinitely fast.
#pragma once

#include "sim/run_state.hpp"

namespace ttsim::impl::sim {

/// Runs state.options.perf_op for the inputs of the first launch its graph is in; the report then holds this op only.
/// Throws Error(Input) when no program executes such an op.
void run_decoupled(RunState& state, const std::string& op);

}  // namespace ttsim::impl::sim
