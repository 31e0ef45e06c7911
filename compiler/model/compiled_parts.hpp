// Builds the parts of a compiled model besides its netlist from the state of the compilation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/host/host_value.hpp"
#include "compiler/model/compile.hpp"

namespace ttsim::impl::ir {

/// Values of every input that is read, given or random.
Values all_inputs(const CompileOptions& options, const HostProgram& program);
/// Inputs of the first device part for the user's input values; nullopt if there are none.
std::optional<Values> device_samples(const CompileOptions& options, const HostProgram& program);
/// Entries are made on demand, so that weights are in memory once during compilation.
std::vector<QueueConstant> entries_of(const EmittedModel& emitted, bool round = true);
/// Constants of the model whose derived values all have known derivations.
std::vector<ModelParameter> parameters_of(const Graph& model, const EmittedModel& emitted, const HostProgram& host);
/// The host's share of a model's work, by origin. Host ops may contain folded ops.
ModelWork shared_work(const WorkByOrigin& all, const WorkByOrigin& host);
/// Moves decisions and notes from the state to the report.
CompileReport report_of(const std::string& arch, CompileState& state);

}  // namespace ttsim::impl::ir
