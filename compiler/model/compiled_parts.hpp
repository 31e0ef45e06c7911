// What a compiled model holds besides its netlist, made of how far the compiler got.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/host/host_value.hpp"
#include "compiler/model/compile.hpp"

namespace ttsim::impl::ir {

/// Values of every input that is read, given or generated.
Values all_inputs(const CompileOptions& options, const HostProgram& program);
/// What the device's first part is given for the values of inputs that the user gave, behind the host's steps; none: no
/// values were given.
std::optional<Values> device_samples(const CompileOptions& options, const HostProgram& program);
/// Made when they are asked for: weights stand in memory once while a model is compiled.
std::vector<QueueConstant> entries_of(const EmittedModel& emitted, bool round = true);
/// Constants of the model that something comes of by known steps, and nothing in any other way.
std::vector<ModelParameter> parameters_of(const Graph& model, const EmittedModel& emitted, const HostProgram& host);
/// Of all, as the model was read, what the host does; its ops may come from others that were folded into them.
ModelWork shared_work(const WorkByOrigin& all, const WorkByOrigin& host);
/// Takes the decisions and notes out of the state.
CompileReport report_of(const std::string& arch, CompileState& state);

}  // namespace ttsim::impl::ir
