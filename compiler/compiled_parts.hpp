// What a compiled model holds besides its netlist, made of how far the compiler got.
#pragma once

#include <string>
#include <vector>

#include "compiler/compile.hpp"

namespace tt::ir {

/// Values of every input that is read, given or generated.
Values all_inputs(const CompileOptions& options, const HostProgram& program);
/// Made when they are asked for: weights stand in memory once while a model is compiled.
std::vector<QueueConstant> entries_of(const EmittedModel& emitted, bool round = true);
/// Constants of the model that something comes of by known steps, and nothing in any other way.
std::vector<ModelParameter> parameters_of(const Graph& model, const EmittedModel& emitted, const HostProgram& host);
/// Takes the decisions and notes out of the state.
CompileReport report_of(const std::string& arch, CompileState& state);

}  // namespace tt::ir
