// Runs of several samples, whose values have an additional leading axis.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/host/host_steps.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::ir {

/// Converts the values of one or several samples to an input's type. Throws Error(Input) at `file` ("" = none) for
/// another shape or element type.
Literal fitted_samples(const Literal& given, const Type& type, const std::string& file, const std::string& name);
/// Splits values into samples.
std::vector<Literal> split_samples(const Literal& fitted, const Type& type);
/// Inputs by name for each sample; an input with one sample is used for all. Throws Error(Input) at `where`.
std::vector<Values> by_sample(const std::map<std::string, std::vector<Literal>>& inputs, const SourceLoc& where);
/// The outputs of a graph by name; several samples have a new first axis.
std::vector<std::pair<std::string, Literal>> join_samples(const Graph& graph, const std::vector<Values>& samples);

/// Entries of queues, in order of the samples.
using Entries = std::map<std::string, std::vector<Tensor>>;
/// The entries of an input for a sample, and the value of a result's entries. A loop has an entry per iteration.
std::vector<Tensor> entries_of(const Literal& value, const BoundTensor& input);
Literal value_of(std::span<const Tensor> entries, const BoundTensor& result);
/// Adds the entries of a device part for a sample. `crossing`: the boundary values of its inputs.
void add_entries(const HostSteps& steps, std::int64_t part, const Values& crossing, Entries& entries);
/// The results of a device part for sample `k`, by boundary name.
Values results_of(const HostSteps& steps, std::int64_t part, const Entries& entries, std::size_t k);
/// The inputs and results of a part.
std::vector<BoundTensor> inputs_of_part(const HostSteps& steps, std::int64_t part);
std::vector<BoundTensor> results_of_part(const HostSteps& steps, std::int64_t part);
std::int64_t iterations_of_part(const HostSteps& steps, std::int64_t part);  ///< 0: it does not loop

/// The division of samples into executes of a microbatch.
struct Executes {
    std::int64_t count = 1;                    ///< of the program
    std::optional<std::int64_t> inputs_count;  ///< of a single execute with fewer samples
};
/// Pads entries with the last sample to complete executes.
Executes fill_executes(std::int64_t microbatch, std::int64_t samples, Entries& inputs);

}  // namespace ttsim::impl::ir
