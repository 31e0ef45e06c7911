// What a compile leaves behind: netlist.yaml, manifest.json, host_steps.json, reference.tg and a .npy file for
// each host queue; passes/ where they are kept.
#pragma once

#include <string>

#include "base/file_set.hpp"
#include "compiler/model/compiled_model.hpp"

namespace ttsim::impl::ir {

/// Writes beside the folder and renames, so that it is there whole or not at all. The model has a value for each of its
/// inputs. Throws Error(Input) when it cannot be written, or something else is there. `threads`: 0 is one per
/// processor.
void write_folder(const CompiledModel& model, const std::string& folder, unsigned threads = 0);

/// Equal to the model that was written. Throws Error(Input) at the file that is missing or does not fit.
CompiledModel read_folder(const std::string& folder);
/// The same without the constants, which may be most of it: a run of the netlist with the folder as its inputs
/// (sim::RunOptions::inputs_dir) reads those that it needs.
CompiledModel read_without_constants(const std::string& folder);

/// The folder's netlist.yaml.
std::string netlist_text(const CompiledModel& model);

/// What a netlist and the constants do not say of a model: host_steps.json with its files, and reference.tg.
/// `device`: what host_steps.json calls the device.
void write_host_part(const CompiledModel& model, const FileSink& sink, const std::string& device);
/// Throws Error(Input) at the file that is missing or does not fit.
void read_host_part(const FileSet& files, CompiledModel& model);

}  // namespace ttsim::impl::ir
