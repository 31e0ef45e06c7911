// --target-pcc: chooses formats and fidelities per op by the losses of simulated samples.
//
//   1. Measure all ops at one level of accuracy, from the fastest on: losses and costs per op, losses of the outputs.
//   The
//      search starts at the fastest level that reaches the target.
//   2. Measure mixed precision presets, as alternatives.
//   3. Set one segment of ops after the other to the next faster level, to measure how its losses affect the outputs.
//   4. Choose the cheapest settings whose losses sum up to the allowed loss, simulate them, and correct by the measured
//      loss.
//
// Errors of ops are nearly independent, so that their powers add up.
#pragma once

#include "compiler/model/compile.hpp"

namespace ttsim::impl::ir {

/// compile() with CompileOptions::target. If no formats reach it, the most accurate ones are chosen, as reported in
/// CompileReport::formats. Throws as compile() does.
CompiledModel compile_to_target(const Graph& model, const CompileOptions& options);

}  // namespace ttsim::impl::ir
