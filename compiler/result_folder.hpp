// What a compile leaves behind: netlist.yaml, manifest.json, host_steps.json, reference.tg and a .npy file for
// each host queue.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/backend/emit.hpp"
#include "compiler/compile.hpp"
#include "compiler/host_program.hpp"

namespace tt::ir {

/// `reference`: text of reference.tg, "" = none. Writes beside the folder and renames, so that it is there whole or not
/// at all. Inputs without a value are generated. Returns the host steps as lines.
std::vector<std::string> write_result(const CompileOptions& options, const EmittedModel& model, HostProgram program,
                                      const Values& values, const std::string& reference);

/// Constants that their format does not hold, one line each.
std::vector<std::string> overflow_notes(const EmittedModel& model);

/// The values as an input of this type wants them: .npy files hold bf16 as the bits of u16, and f16 as float32.
/// Throws Error(Input) at the file.
Literal fitted(const Literal& given, const Type& type, const std::string& file, const std::string& name);

}  // namespace tt::ir
