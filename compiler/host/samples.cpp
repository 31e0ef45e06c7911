#include "compiler/host/samples.hpp"

#include <algorithm>

#include "compiler/onnx/value_file.hpp"

namespace ttsim::impl::ir {

namespace {

/// One sample of several, or one iteration of a tensor.
Literal sample_of(const Literal& all, const Type& type, std::int64_t k) {
    Literal one(type.dtype, type.dims, max_read_elements);
    const auto from = static_cast<std::ptrdiff_t>(k * one.size()),
               to = static_cast<std::ptrdiff_t>((k + 1) * one.size());
    if (is_float(type.dtype))
        one.floats().assign(all.floats().begin() + from, all.floats().begin() + to);
    else
        one.integer_elements().assign(all.integer_elements().begin() + from, all.integer_elements().begin() + to);
    return one;
}

}  // namespace

Literal fitted_samples(const Literal& given, const Type& type, const std::string& file, const std::string& name) {
    Type all = type;
    const bool several = given.dims().size() == type.dims.size() + 1;
    if (several) all.dims.insert(all.dims.begin(), given.dims()[0]);
    Literal whole = fitted(given, all, file, name);
    if (several && given.dims()[0] < 1) fail_input({file, 0, 0}, "it holds no sample of input '{}'", name);
    return whole;
}

std::vector<Literal> split_samples(const Literal& fitted, const Type& type) {
    if (fitted.dims().size() == type.dims.size()) return {fitted};
    std::vector<Literal> samples;
    for (std::int64_t k = 0; k < fitted.dims()[0]; ++k) samples.push_back(sample_of(fitted, type, k));
    return samples;
}

std::vector<Values> by_sample(const std::map<std::string, std::vector<Literal>>& inputs, const SourceLoc& where) {
    std::vector<Values> samples(1);
    for (const auto& [name, values] : inputs) samples.resize(std::max(samples.size(), values.size()));
    for (const auto& [name, values] : inputs) {
        if (values.size() != 1 && values.size() != samples.size())
            fail_input(where, "input '{}' has {} samples, another has {}", name, values.size(), samples.size());
        for (std::size_t k = 0; k < samples.size(); ++k) samples[k].emplace(name, values[values.size() == 1 ? 0 : k]);
    }
    return samples;
}

std::vector<std::pair<std::string, Literal>> join_samples(const Graph& graph, const std::vector<Values>& samples) {
    std::vector<std::pair<std::string, Literal>> outputs;
    for (const Output& output : graph.outputs) {
        Literal all = samples.front().at(output.name);
        if (samples.size() > 1) {
            Dims dims = all.dims();
            dims.insert(dims.begin(), static_cast<std::int64_t>(samples.size()));
            const std::int64_t size = all.size();
            for (const Values& sample : samples)
                if (sample.at(output.name).dims() != all.dims())
                    fail_unsupported({},
                                     "output '{}' has another shape for one sample than for another; run one at a time",
                                     output.name);
            all = Literal(all.dtype(), dims);
            for (std::size_t k = 0; k < samples.size(); ++k)
                for (std::int64_t i = 0; i < size; ++i)
                    all.copy(static_cast<std::int64_t>(k) * size + i, samples[k].at(output.name), i);
        }
        outputs.emplace_back(output.name, std::move(all));
    }
    return outputs;
}

std::vector<BoundTensor> inputs_of_part(const HostSteps& steps, std::int64_t part) {
    std::vector<BoundTensor> tensors;
    for (const BoundTensor& tensor : steps.to_device)
        if (steps.program.boundary_value(tensor.name).part == part) tensors.push_back(tensor);
    return tensors;
}

std::vector<BoundTensor> results_of_part(const HostSteps& steps, std::int64_t part) {
    std::vector<BoundTensor> tensors;
    for (const BoundTensor& tensor : steps.from_device)
        if (steps.program.part_of(tensor.name) == part) tensors.push_back(tensor);
    return tensors;
}

std::int64_t iterations_of_part(const HostSteps& steps, std::int64_t part) {
    const std::vector<BoundTensor> inputs = inputs_of_part(steps, part);
    return inputs.empty() ? 0 : inputs.front().iterations;
}

void add_entries(const HostSteps& steps, std::int64_t part, const Values& crossing, Entries& entries) {
    for (const BoundTensor& tensor : inputs_of_part(steps, part))
        for (Tensor& entry : entries_of(crossing.at(tensor.name), tensor))
            entries[tensor.queue].push_back(std::move(entry));
}

std::vector<Tensor> entries_of(const Literal& value, const BoundTensor& input) {
    std::vector<Tensor> entries;
    if (input.iterations == 0) entries.push_back(to_entry(value, input));
    for (std::int64_t iteration = 0; iteration < input.iterations; ++iteration)
        entries.push_back(to_entry(sample_of(value, input.type, iteration), input));
    return entries;
}

Literal value_of(std::span<const Tensor> entries, const BoundTensor& result) {
    if (result.iterations == 0) return from_entry(entries.front(), result.type);
    Literal all(result.type.dtype, result.full_type().dims, max_read_elements);
    for (std::size_t iteration = 0; iteration < entries.size(); ++iteration) {
        const Literal one = from_entry(entries[iteration], result.type);
        for (std::int64_t i = 0; i < one.size(); ++i)
            all.copy(static_cast<std::int64_t>(iteration) * one.size() + i, one, i);
    }
    return all;
}

Values results_of(const HostSteps& steps, std::int64_t part, const Entries& entries, std::size_t k) {
    Values results;
    for (const BoundTensor& tensor : results_of_part(steps, part))
        results.emplace(tensor.name,
                        value_of(std::span(entries.at(tensor.queue))
                                     .subspan(k * tensor.entries_per_sample(), tensor.entries_per_sample()),
                                 tensor));
    return results;
}

Executes fill_executes(std::int64_t microbatch, std::int64_t samples, Entries& inputs) {
    Executes executes{(samples + microbatch - 1) / microbatch, std::nullopt};
    if (executes.count == 1) executes.inputs_count = samples;
    for (auto& [queue, entries] : inputs) {
        const std::size_t each = entries.size() / static_cast<std::size_t>(samples);  // a loop has one per iteration
        if (executes.count == 1 && each == 1) continue;
        while (entries.size() < static_cast<std::size_t>(executes.count * microbatch) * each)
            entries.push_back(entries[entries.size() - each]);
    }
    return executes;
}

}  // namespace ttsim::impl::ir
