// --target-pcc: formats and fidelities op by op, by what simulated samples lose.
//
//   1. all ops on one level of accuracy, from the fastest on: what each op loses by itself and costs, what the outputs
//      lose; the fastest level that reaches the target is where the search begins
//   2. presets of mixed precision, as rivals
//   3. a stretch of ops after the other one level faster: what losses of its ops do to the outputs
//   4. the cheapest ways whose losses add up to what is allowed; simulated; put right by what the outputs really lose
//
// Errors of ops are nearly independent, so that their powers add up.
#pragma once

#include "compiler/model/compile.hpp"

namespace ttsim::impl::ir {

/// compile() with CompileOptions::target. Where no formats reach it the most accurate ones are taken;
/// CompileReport::formats says so. Throws as compile() does.
CompiledModel compile_to_target(const Graph& model, const CompileOptions& options);

}  // namespace ttsim::impl::ir
