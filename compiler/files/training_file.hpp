// training.json of a device image: what a compiled model needs to be trained, beside its netlist and constants.
//
//   "programs"    role, name and parameters of each program
//   "optimizer"   its settings
//   "parameters"  of each trained tensor: rams, and where its elements are stored, as runs [first, step, count]; a
//                 first element of -1 stands for zeros
#pragma once

#include "base/file_set.hpp"
#include "compiler/model/compiled_model.hpp"

namespace ttsim::impl::ir {

inline constexpr const char* training_file = "training.json";

/// The text of the file.
std::string training_text(const CompiledModel& model);

/// Replaces the model's programs. The netlist is there already. Throws Error(Input) naming file and key.
void read_training(const FileSet& files, CompiledModel& model);

}  // namespace ttsim::impl::ir
