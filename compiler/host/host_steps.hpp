// Reads and writes host_steps.json of a compiled result: the host steps of a model.
//
//   "host"         nodes in order: inputs of the model (with a file of values), constants (files), ops of the model,
//                  results of the device
//   "to_device"    values -> queues, "from_device" queues -> values: element type, shape, matrix form
//   "outputs"      of the model
#pragma once

#include <string>
#include <vector>

#include "base/file_set.hpp"
#include "compiler/backend/emit.hpp"
#include "compiler/host/host_program.hpp"
#include "compiler/host/host_rounding.hpp"

namespace ttsim::impl::ir {

struct HostSteps {
    std::string device;           ///< target product or soc descriptor file
    std::int64_t microbatch = 1;  ///< inputs of one execute
    HostProgram program;
    std::vector<BoundTensor> to_device, from_device;  ///< names: of boundary values
};
bool equal(const HostSteps& a, const HostSteps& b);

/// Model inputs -> files with their default values.
using InputFiles = std::map<std::string, std::string>;
struct StoredSteps {
    HostSteps steps;
    InputFiles inputs;  ///< files in the set
};
/// Throws Error(Input) naming file and key.
StoredSteps read_host_steps(const FileSet& files);

/// Writes host_steps.json and the files of constants to `sink`.
void write_host_steps(const HostSteps& steps, const InputFiles& inputs, const FileSink& sink);

/// Renames the device's inputs and results to the names of the host's values.
HostSteps with_value_names(HostSteps steps);

/// One line per step, as printed by `ttsim compile`.
std::vector<std::string> host_step_lines(const HostSteps& steps);
/// Why the device runs in parts, and the cost; "" if it does not. `steps` must have their original names.
std::string parts_line(const HostSteps& steps);
/// One line per part that loops.
std::vector<std::string> loop_lines(const HostSteps& steps);

/// Converts a model tensor to a queue entry: the last two axes become rows and columns, padded to full tiles. Floats
/// are rounded to `df`, the queue's format, and for the ops that multiply them.
Tensor to_entry(const Literal& value, DataFormat df = DataFormat::Float32, const Multipliers& by = {});
/// The entry of an input queue.
Tensor to_entry(const Literal& value, const BoundTensor& input);
/// Converts an entry to a model tensor; rounds integers. An entry may have its rows or columns in more slices, and may
/// be padded. Throws Error(Input).
Literal from_entry(const Tensor& entry, const Type& type);

}  // namespace ttsim::impl::ir
