// Reads and writes folders of compiled models: netlist.yaml, manifest.json, host_steps.json, reference.tg, a .npy file
// per host queue, and optionally passes/.
#pragma once

#include <string>

#include "base/file_set.hpp"
#include "compiler/model/compiled_model.hpp"

namespace ttsim::impl::ir {

/// Writes a temporary folder and renames it, so that the result is complete or missing. The model must have values for
/// all inputs. Throws Error(Input) if it cannot be written, or something else exists there. `threads`: 0 is one per
/// processor.
void write_folder(const CompiledModel& model, const std::string& folder, unsigned threads = 0);

/// Reads a model that equals the written one. Throws Error(Input) at a missing or invalid file.
CompiledModel read_folder(const std::string& folder);
/// Reads a model without its constants, which may be large. A run with the folder as its inputs
/// (sim::RunOptions::inputs_dir) reads the constants it needs.
CompiledModel read_without_constants(const std::string& folder);

/// The folder's netlist.yaml.
std::string netlist_text(const CompiledModel& model);

/// Writes the host part of a model: host_steps.json with its files, and reference.tg. `device`: the name in
/// host_steps.json.
void write_host_part(const CompiledModel& model, const FileSink& sink, const std::string& device);
/// Throws Error(Input) at a missing or invalid file.
void read_host_part(const FileSet& files, CompiledModel& model);

}  // namespace ttsim::impl::ir
