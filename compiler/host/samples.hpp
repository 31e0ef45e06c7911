// Several samples of a model run one after the other: their values have one axis more in front.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/host/host_steps.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::ir {

/// The values of an input of this type, of one sample or several. Throws Error(Input) at `file` ("" = none) for another
/// shape or element type.
Literal fitted_samples(const Literal& given, const Type& type, const std::string& file, const std::string& name);
/// Its samples, one by one.
std::vector<Literal> split_samples(const Literal& fitted, const Type& type);
/// Inputs by name for each sample; an input of one sample has its values in all. Throws Error(Input) at `where`.
std::vector<Values> by_sample(const std::map<std::string, std::vector<Literal>>& inputs, const SourceLoc& where);
/// The outputs of a graph by name; of several samples along a new first axis.
std::vector<std::pair<std::string, Literal>> join_samples(const Graph& graph, const std::vector<Values>& samples);

/// Entries of queues, in order of the samples.
using Entries = std::map<std::string, std::vector<Tensor>>;
/// What goes into the queue of an input for a sample, and comes of that of a result: of a loop an entry for each turn.
std::vector<Tensor> entries_of(const Literal& value, const BoundTensor& input);
Literal value_of(std::span<const Tensor> entries, const BoundTensor& result);
/// What a part of the device is given for a sample: `crossing` are the values of its inputs.
void add_entries(const HostSteps& steps, std::int64_t part, const Values& crossing, Entries& entries);
/// The results of a part of the device for sample `k`, by the names under which they cross.
Values results_of(const HostSteps& steps, std::int64_t part, const Entries& entries, std::size_t k);
/// The tensors that go to a part, and come from it.
std::vector<BoundTensor> inputs_of_part(const HostSteps& steps, std::int64_t part);
std::vector<BoundTensor> results_of_part(const HostSteps& steps, std::int64_t part);
std::int64_t iterations_of_part(const HostSteps& steps, std::int64_t part);  ///< 0: it does not loop

/// How samples become executes of a microbatch each.
struct Executes {
    std::int64_t count = 1;                    ///< of the program
    std::optional<std::int64_t> inputs_count;  ///< of the only execute, when there are fewer samples
};
/// Entries are filled up with the last sample to whole executes.
Executes fill_executes(std::int64_t microbatch, std::int64_t samples, Entries& inputs);

}  // namespace ttsim::impl::ir
