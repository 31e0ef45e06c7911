// The compiler as a function in memory: converts a graph to a compiled model.
//
//   graph -> passes of the default pipeline -> "schedule" (epochs, grids, places) -> "emit" (queues, netlist)
//
// For files and folders see model_files.hpp.
#pragma once

#include <string>

#include "compiler/model/compiled_model.hpp"
#include "compiler/options/compile_options.hpp"

namespace ttsim::impl::ir {

/// Throws Error: Input (2) for invalid devices, overrides or inputs, Unsupported (4).
CompiledModel compile(Graph model, const CompileOptions& options);

/// Random values for an input: small floats, or integers from 0 to below `below`.
Literal random_values(const Type& type, std::uint32_t seed, std::int64_t below = 10);

/// The name of the device in a compiled model. For a chip given by its path: its name if that identifies it, else its
/// file.
std::string device_name(const std::string& device);

// --- step by step --------------------------------------------------------------------------------------------------

/// State of a partial compilation.
struct CompileState {
    Graph graph;                                ///< result of the last pass
    HostProgram host;                           ///< cut by cut-host
    std::vector<std::string> notes;             ///< one line each
    std::vector<PassGraph> passes;              ///< with keep_passes, for a scheduled model
    std::optional<Schedule> schedule;           ///< after the step "schedule"
    std::optional<EmittedModel> emitted;        ///< after the step "emit"
    std::map<std::string, double> core_cycles;  ///< CompileReport::core_cycles
    std::vector<IgnoredOverride> ignored_overrides{};
};

/// In order: the passes of the default pipeline (the second run of a pass is NAME-2), "schedule", "emit".
std::vector<std::string> compile_steps();
/// Index of a step. Throws Error(Input) for an unknown name.
std::size_t step_number(const std::string& step);

/// Compiles up to a step. Throws as compile() does, and Error(Input) for an unknown step.
CompileState compile_until(Graph model, const CompileOptions& options, const std::string& step);

}  // namespace ttsim::impl::ir
