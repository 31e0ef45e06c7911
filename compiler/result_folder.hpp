// What a compile leaves behind: netlist.yaml, manifest.json, host_steps.json, reference.tg and a .npy file for
// each host queue.
#pragma once

#include <string>

#include "compiler/compiled_model.hpp"

namespace tt::ir {

/// Writes beside the folder and renames, so that it is there whole or not at all. The model has a value for each of its
/// inputs. Throws Error(Input) when it cannot be written, or something else is there.
void write_folder(const CompiledModel& model, const std::string& folder);

/// Equal to the model that was written. Throws Error(Input) at the file that is missing or does not fit.
CompiledModel read_folder(const std::string& folder);

/// The programs that a folder's manifest names.
std::vector<ModelProgram> read_programs(const std::string& folder);

}  // namespace tt::ir
