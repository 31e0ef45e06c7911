// What a compile leaves behind: netlist.yaml, manifest.json, host_steps.json and a .npy file for each host queue.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/backend/emit.hpp"
#include "compiler/compile.hpp"

namespace tt::ir {

/// Writes beside the folder and renames, so that it is there whole or not at all. Inputs without a value are generated.
/// Returns the host steps as lines.
std::vector<std::string> write_result(const CompileOptions& options, const EmittedModel& model,
                                      const std::map<std::string, Literal>& values);

}  // namespace tt::ir
