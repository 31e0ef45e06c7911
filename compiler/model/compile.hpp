// The compiler as one function: a graph in, a compiled model out, both in memory.
//
//   graph -> passes of the default pipeline -> "schedule" (epochs, grids, places) -> "emit" (queues, netlist)
//
// A file in and a folder out: model_files.hpp.
#pragma once

#include <string>

#include "compiler/model/compiled_model.hpp"
#include "compiler/options/compile_options.hpp"

namespace ttsim::impl::ir {

/// Throws Error: Input (2) for a device, an override or an input that does not fit, Unsupported (4).
CompiledModel compile(Graph model, const CompileOptions& options);

/// Values of an input that nobody gave: small numbers; where the type is whole from 0 to below `below`.
Literal generated(const Type& type, std::uint32_t seed, std::int64_t below = 10);

/// What a compiled model calls its device: a chip given by its path has a name where that leads to it, else its file.
std::string device_name(const std::string& device);

// --- step by step --------------------------------------------------------------------------------------------------

/// How far a model is.
struct CompileState {
    Graph graph;                                ///< what the last pass left
    HostProgram host;                           ///< what cut-host took out of it
    std::vector<std::string> notes;             ///< what was cut into parts, one line each
    std::vector<PassGraph> passes;              ///< with keep_passes, of a placed model
    std::optional<Schedule> schedule;           ///< from the step "schedule" on; one that can be emitted
    std::optional<EmittedModel> emitted;        ///< after the step "emit"
    std::map<std::string, double> core_cycles;  ///< CompileReport::core_cycles
};

/// In order: the passes of the default pipeline (its second time a pass is called NAME-2), "schedule", "emit".
std::vector<std::string> compile_steps();
/// A step's place among them. Throws Error(Input) for a name that is none.
std::size_t step_number(const std::string& step);

/// Stops behind a step. Throws as compile() does, and Error(Input) for a name that is none.
CompileState compile_until(Graph model, const CompileOptions& options, const std::string& step);

}  // namespace ttsim::impl::ir
