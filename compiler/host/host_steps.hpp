// host_steps.json of a compiled result: what the host does around the device's run.
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
    std::string device;           ///< product or soc descriptor file it was compiled for
    std::int64_t microbatch = 1;  ///< inputs of one execute
    HostProgram program;
    std::vector<BoundTensor> to_device, from_device;  ///< names: of to_device, and of the device's results
};
bool equal(const HostSteps& a, const HostSteps& b);

/// Inputs of the model -> files of the values to use by default.
using InputFiles = std::map<std::string, std::string>;
struct StoredSteps {
    HostSteps steps;
    InputFiles inputs;  ///< names among the files
};
/// Throws Error(Input) naming file and key.
StoredSteps read_host_steps(const FileSet& files);

/// Gives host_steps.json and the files of constants to `sink`.
void write_host_steps(const HostSteps& steps, const InputFiles& inputs, const FileSink& sink);

/// Names of the device's inputs and results become those of the host's values.
HostSteps with_value_names(HostSteps steps);

/// One line for each step, as `ttsim compile` prints them.
std::vector<std::string> host_step_lines(const HostSteps& steps);
/// Why the device runs in parts, and what that costs; "" when it does not. `steps` under the names they were made with.
std::string parts_line(const HostSteps& steps);
/// One line for each part that loops.
std::vector<std::string> loop_lines(const HostSteps& steps);

/// Between a model's tensor and an entry of a queue: the last two axes are rows and columns, filled up to whole tiles.
/// `df`: of the queue; floats are rounded to it, and as those that multiply it want.
Tensor to_entry(const Literal& value, DataFormat df = DataFormat::Float32, const Multipliers& by = {});
/// As the queue of an input holds it.
Tensor to_entry(const Literal& value, const BoundTensor& input);
/// Rounds to the type if it is whole. An entry may hold its rows or its columns in more slices, and more of both than
/// are wanted. Throws Error(Input).
Literal from_entry(const Tensor& entry, const Type& type);

}  // namespace ttsim::impl::ir
