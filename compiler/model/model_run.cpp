#include "compiler/model/model_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "compiler/host/reference.hpp"
#include "compiler/ir/check_input_name.hpp"
#include "compiler/onnx/value_file.hpp"
#include "kernels/formats/overflow.hpp"
#include "netlist/files/manifest.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::ir {

bool ModelRunReport::pass() const {
    return std::all_of(outputs.begin(), outputs.end(), [](const ModelOutput& o) { return o.pass(); });
}

namespace {

/// NAME.npy, or its variant with invalid characters replaced; "" if neither exists.
std::string file_in(const std::string& folder, const std::string& name) {
    for (const std::string& file : {name + ".npy", npy_name(name)}) {
        std::error_code code;
        const fs::path path = fs::path(folder) / file;
        if (file.find('/') == std::string::npos && fs::is_regular_file(path, code)) return path.string();
    }
    return "";
}

void check_names(const ModelRunOptions& options, const Graph& graph) {
    const auto names = input_names(graph);
    Diagnostics problems;
    for (const auto& [name, file] : options.inputs)
        check_input_name(name, names, "--input", {options.place, 0, 0}, problems);
    if (!options.inputs_dir.empty() && !names.empty() && std::none_of(names.begin(), names.end(), [&](const auto& n) {
            return !file_in(options.inputs_dir, n).empty();
        }))
        problems.error({options.inputs_dir, 0, 0}, "the folder has a file for no input of the model, such as '{}.npy'",
                       names.front());
    problems.throw_if_any();
}

/// Notes the first NaN or infinity.
void note_non_finite(const std::string& whose, const Literal& value, std::vector<std::string>& notes) {
    if (!is_float(value.dtype())) return;
    std::int64_t count = 0, first = 0;
    for (std::int64_t i = 0; i < value.size(); ++i)
        if (!std::isfinite(value.at(i)) && count++ == 0) first = i;
    if (count > 0)
        notes.push_back(fmt::format("{} of the {} values of {} are NaN or infinite, the first is {}: index {}", count,
                                    value.size(), whose, value.at(first), first));
}

/// Values of all inputs for each sample.
std::vector<Values> read_inputs(const ModelRunOptions& options, const CompiledModel& model,
                                std::vector<std::string>& notes) {
    std::map<std::string, std::vector<Literal>> read;
    const HostProgram& program = model.host.program;
    const std::vector<bool> needed = read_nodes(program);
    for (ValueId id = 0; id < needed.size(); ++id) {
        const Node& node = program.graph.nodes[id];
        if (!node.is_input() || node.has(attr::device) || !needed[id]) continue;
        const std::string name = boundary_name(node);
        std::string file;
        if (const auto given = options.inputs.find(name); given != options.inputs.end()) file = given->second;
        if (file.empty() && !options.inputs_dir.empty()) file = file_in(options.inputs_dir, name);
        const auto compiled = model.inputs.find(name);
        if (file.empty() && compiled == model.inputs.end())
            fail_input({options.place, 0, 0}, "input '{}' has no value; give --input {}=FILE", name, name);
        const Literal value = file.empty() ? fitted_samples(compiled->second, node.type, options.place, name)
                                           : fitted_samples(read_value_file(file), node.type, file, name);
        note_non_finite("input '" + name + "'", value, notes);
        read[name] = split_samples(value, node.type);
    }
    std::vector<Values> samples = by_sample(read, {options.place, 0, 0});
    if (options.loops == 1) return samples;
    if (samples.size() > 1)
        fail_input({options.place, 0, 0}, "--loops repeats inputs of one sample, and {} are given", samples.size());
    samples.resize(static_cast<std::size_t>(options.loops * model.host.microbatch), samples.front());
    return samples;
}

/// Largest error of a constant output, relative to its magnitude, that rounding to formats can explain.
constexpr double reference_error = 0.05;

/// Compares the first samples with the model in float32.
void compare_with_reference(const ModelRunOptions& options, const CompiledModel& model,
                            const std::vector<Values>& inputs, const std::vector<Values>& outputs,
                            ModelRunReport& report) {
    if (!options.reference || !model.reference) return;
    const std::string file = (fs::path(options.place) / reference_file).string();
    const Reference reference(*model.reference, model.host.program.graph, file);
    const auto samples = std::min(inputs.size(), static_cast<std::size_t>(reference.most_samples()));
    for (std::size_t k = 0; k < samples; ++k) {
        const auto expected = reference.outputs(inputs[k]);
        if (!expected) return;
        for (ModelOutput& output : report.outputs) {
            const auto found = expected->find(output.name);
            if (found == expected->end() && is_intermediate(output.name)) continue;
            if (found == expected->end() || found->second.dims() != outputs[k].at(output.name).dims())
                fail_input({file, 0, 0}, "it has no output '{}' of that shape", output.name);
            const Agreement now = agreement(outputs[k].at(output.name), found->second,
                                            least_rounded_pcc(options.least_pcc), reference_error);
            if (!output.reference || now.pcc < output.reference->pcc) output.reference = now;  // the worst sample
        }
    }
}

/// Notes on inputs that overflow their queue's format.
void note_overflow(const HostSteps& steps, const std::vector<Values>& crossing, ModelRunReport& report) {
    for (const BoundTensor& tensor : steps.to_device) {
        const auto most = static_cast<double>(largest_number(tensor.df));
        std::int64_t many = 0, all = 0;
        for (const Values& values : crossing) {
            const Literal& value = values.at(tensor.name);
            all += value.size();
            for (std::int64_t i = 0; i < value.size(); ++i)
                many += std::fabs(value.at(i)) > most && std::isfinite(value.at(i)) ? 1 : 0;
        }
        if (many > 0)
            report.notes.push_back(
                fmt::format("input of the device '{}': {} of {} elements are beyond {} (largest {:g}) "
                            "and are cut; a format of 8 exponent bits holds them (--default-df "
                            "Float16_b)",
                            tensor.queue, many, all, to_string(tensor.df), most));
    }
}

void compare_all(const ModelRunOptions& options, std::vector<ModelOutput>& outputs, std::vector<std::string>& notes) {
    if (options.expect_dir.empty()) return;
    bool any = false;
    for (ModelOutput& output : outputs) {
        const std::string file = file_in(options.expect_dir, output.name);
        if (file.empty()) {
            notes.push_back(fmt::format("output '{}' was not compared: there is no file for it", output.name));
            continue;
        }
        any = any || output.value.size() > 0;
        const Literal expected = read_value_file(file);
        if (expected.dims() != output.value.dims())
            fail_input({file, 0, 0}, "its shape is [{}]; output '{}' is [{}]", fmt::join(expected.dims(), ", "),
                       output.name, fmt::join(output.value.dims(), ", "));
        output.expected = agreement(output.value, expected, options.least_pcc);
    }
    if (!any)
        fail_input({options.expect_dir, 0, 0},
                   "nothing was compared: the folder has a file for no output of the model that holds values");
}

void write_outputs(const ModelRunOptions& options, std::vector<ModelOutput>& outputs) {
    if (options.outputs_dir.empty()) return;
    std::error_code code;
    fs::create_directories(options.outputs_dir, code);
    if (code) fail_input({options.outputs_dir, 0, 0}, "the folder cannot be made: {}", code.message());
    for (ModelOutput& output : outputs) {
        output.file = (fs::path(options.outputs_dir) / npy_name(output.name)).string();
        write_value_file(output.file, output.value);
    }
}

/// Wall time of host steps.
class HostClock {
public:
    template <class Work>
    void add(Work&& work) {
        const auto begun = std::chrono::steady_clock::now();
        work();
        spent_ += std::chrono::steady_clock::now() - begun;
    }
    double seconds() const { return std::chrono::duration<double>(spent_).count(); }

private:
    std::chrono::steady_clock::duration spent_{};
};

/// Runs a single sample in functional mode.
Values outputs_of(const CompiledModel& model, const Values& inputs, const PartRun& part_run) {
    HostRun run(model.host.program, inputs);
    for (std::int64_t part = 1; part <= model.host.program.parts(); ++part) {
        Entries entries;
        add_entries(model.host, part, run.device_inputs(part), entries);
        run.set_results(part, results_of(model.host, part, part_run(part, entries, 1), 0));
    }
    return run.outputs();
}

/// Sets the states of every sample but the first from the previous sample's outputs.
void feed_states(const CompiledModel& model, const ModelRunOptions& options, std::vector<Values>& samples,
                 const PartRun& part_run) {
    check_feed_back(options.feed_back, model.host, {options.place, 0, 0});
    if (options.feed_back.empty()) return;
    TT_CHECK(part_run, "nothing runs a sample before the next");
    for (std::size_t k = 1; k < samples.size(); ++k)
        feed_back(options.feed_back, outputs_of(model, samples[k - 1], part_run), samples[k]);
}

}  // namespace

Agreement agreement(const Literal& have, const Literal& expected, double least, double flat_error) {
    Agreement result;
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0, equal = 0;
    bool finite = true;
    for (std::int64_t i = 0; i < have.size(); ++i) {
        const double x = have.at(i), y = expected.at(i);
        if (x == y || (std::isnan(x) && std::isnan(y))) {
            ++equal;
            if (!std::isfinite(x)) continue;
        }
        finite = finite && std::isfinite(x) && std::isfinite(y);
        result.max_error = std::max(result.max_error, std::fabs(x - y));
        ++n;
        a += x;
        b += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    const double count = static_cast<double>(have.size());
    if (!is_float(have.dtype())) {
        result.pcc = count == 0 ? 1 : equal / count;
    } else {
        const double va = n * aa - a * a, vb = n * bb - b * b;
        const bool flat = va <= 1e-12 * n * aa || vb <= 1e-12 * n * bb;  // a constant has no correlation
        const bool close = result.max_error <= flat_error * std::sqrt(std::max(bb, 1e-30) / std::max(n, 1.0));
        result.pcc = !finite ? 0 : flat ? (close ? 1 : 0) : (n * ab - a * b) / std::sqrt(va * vb);
    }
    result.least = least;
    result.pass = result.pcc >= least;
    return result;
}

ModelRunReport run_model(const CompiledModel& model, const ModelRunOptions& options, const DeviceRun& device,
                         const PartRun& part_run) {
    const HostSteps& steps = model.host;
    check_names(options, steps.program.graph);
    std::vector<std::string> notes;
    std::vector<Values> inputs = read_inputs(options, model, notes);
    feed_states(model, options, inputs, part_run);
    std::vector<HostRun> runs;
    Entries entries;
    std::vector<Values> given;
    HostClock clock;
    clock.add([&] {
        for (const Values& values : inputs) runs.emplace_back(steps.program, values);
    });
    given.resize(runs.size());
    const auto samples = static_cast<std::int64_t>(inputs.size());
    const std::int64_t last = steps.program.parts();
    for (std::int64_t part = 1; part <= last; ++part) {
        Entries own;
        clock.add([&] {
            for (std::size_t k = 0; k < runs.size(); ++k) {
                Values crossing = runs[k].device_inputs(part);
                add_entries(steps, part, crossing, own);
                given[k].merge(std::move(crossing));
            }
        });
        if (part < last) {
            TT_CHECK(part_run, "nothing runs part {} of {}", part, last);
            const Entries made = part_run(part, own, samples);
            clock.add([&] {
                for (std::size_t k = 0; k < runs.size(); ++k)
                    runs[k].set_results(part, results_of(steps, part, made, k));
            });
        }
        entries.merge(std::move(own));
    }
    const Entries results = device(steps, std::move(entries), samples);
    std::vector<Values> outputs;
    clock.add([&] {
        for (std::size_t k = 0; k < runs.size(); ++k) {
            runs[k].set_results(last, results_of(steps, last, results, k));
            outputs.push_back(runs[k].outputs());
        }
    });
    ModelRunReport report{samples,
                          host_step_lines(with_value_names(steps)),
                          std::move(notes),
                          {},
                          clock.seconds(),
                          multiply_adds(model),
                          all_on_host(steps.program)};
    for (auto& [name, value] : join_samples(steps.program.graph, outputs))
        report.outputs.push_back({name, std::move(value), std::nullopt, std::nullopt});
    for (const ModelOutput& output : report.outputs)
        note_non_finite("output '" + output.name + "'", output.value, report.notes);
    note_overflow(steps, given, report);
    compare_with_reference(options, model, inputs, outputs, report);
    compare_all(options, report.outputs, report.notes);
    write_outputs(options, report.outputs);
    return report;
}

}  // namespace ttsim::impl::ir
