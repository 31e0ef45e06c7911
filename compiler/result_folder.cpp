#include "compiler/result_folder.hpp"

#include <fmt/ranges.h>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/new_file.hpp"
#include "compiler/host_rounding.hpp"
#include "compiler/host_steps.hpp"
#include "compiler/reference.hpp"
#include "compiler/value_file.hpp"
#include "kernels/overflow.hpp"
#include "netlist/manifest.hpp"
#include "netlist/npy.hpp"
#include "netlist/writer.hpp"

namespace fs = std::filesystem;

namespace tt::ir {

namespace {

void write_text(const fs::path& file, const std::string& text) {
    write_new_file(file.string(), FileKind::Text, [&](std::ostream& out) { out << text; });
}

void write_array(const fs::path& file, Tensor tensor, bool bits = false) {
    QueueArray array;
    array.integer = array.raw = bits;
    array.z = tensor.z;
    array.rows = tensor.rows;
    array.cols = tensor.cols;
    array.entries.push_back(std::move(tensor));
    write_npy(file.string(), array);
}

/// Values of an input nobody gave: small numbers, whole where the type is.
Literal generated(const Type& type, std::uint32_t seed) {
    Literal literal(type.dtype, type.dims, most_read);
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < literal.size(); ++i) {
        const double unit = static_cast<double>(random()) / 4294967296.0;
        literal.set(i, is_float(type.dtype)        ? 2 * unit - 1
                       : type.dtype == DType::Bool ? (unit < 0.5 ? 0 : 1)
                                                   : std::floor(unit * 10));
    }
    return literal;
}

/// Values of every input of the model, given or generated, as files; returns them.
Values write_inputs(const CompileOptions& options, const Values& given, const fs::path& folder, HostSteps& steps) {
    Values values;
    std::uint32_t seed = options.seed;
    const std::vector<bool> read = read_nodes(steps.program);
    for (ValueId id = 0; id < read.size(); ++id) {
        const Node& node = steps.program.graph.nodes[id];
        if (!node.is_input() || node.has("device")) continue;
        ++seed;
        if (!read[id]) continue;
        const std::string name = crossing_name(node);
        const auto found = given.find(name);
        const Literal value = found == given.end() ? generated(node.type, seed)
                                                   : fitted(found->second, node.type, options.inputs.at(name), name);
        const std::string file = "input_" + npy_name(node.name);
        write_value_file((folder / file).string(), value);
        steps.input_files[name] = file;
        values.emplace(name, value);
    }
    return values;
}

}  // namespace

Literal fitted(const Literal& given, const Type& type, const std::string& file, const std::string& name) {
    if (given.dims() != type.dims)
        fail_input({file, 0, 0}, "its shape is [{}]; input '{}' is {}", fmt::join(given.dims(), ", "), name,
                   to_string(type));
    const bool bits = type.dtype == DType::BF16 && given.dtype() == DType::U16;
    if (is_float(given.dtype()) != is_float(type.dtype) && !bits)
        fail_input({file, 0, 0}, "its elements are {}; input '{}' is {}", to_string(given.dtype()), name,
                   to_string(type));
    if (!bits) return given;
    Literal out(DType::BF16, type.dims, most_read);
    for (std::size_t i = 0; i < out.floats().size(); ++i)
        out.floats()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(given.whole()[i]) << 16);
    return out;
}

std::vector<std::string> write_result(const CompileOptions& options, const EmittedModel& model, HostProgram program,
                                      const Values& values, const std::string& reference) {
    NewFolder result(options.out, compiled_folder());
    const fs::path folder(result.temporary());
    Manifest manifest;
    manifest.netlist = "netlist.yaml";
    manifest.arch = model.netlist.archs.front();
    manifest.programs = {"run_fwd_0"};
    manifest.params = {{"$p_loop_count", 1}};

    HostSteps steps{options.device, options.microbatch, std::move(program), model.inputs, model.outputs, {}};
    const Values inputs = write_inputs(options, values, folder, steps);
    const Values crossing = HostRun(steps.program, inputs).device_inputs();
    const auto add_queue = [&](const std::string& queue, Tensor entry, bool raw = false) {
        const std::string file = npy_name(queue);
        write_array(folder / file, std::move(entry), raw);
        manifest.inputs.push_back({queue, file, 0});
    };
    for (const BoundTensor& input : model.inputs) add_queue(input.queue, to_entry(crossing.at(input.name), input.df));
    std::map<std::string, DataFormat> formats;
    for (const Queue& queue : model.netlist.queues) formats.emplace(queue.name, queue.df);
    for (const auto& [queue, literal, bits] : model.constants) {
        Tensor tensor;
        tensor.z = literal->dims()[0];
        tensor.rows = literal->dims()[1];
        tensor.cols = literal->dims()[2];
        tensor.data = literal->floats();
        if (!bits) round_for_push(formats.at(queue), tensor.data);
        add_queue(queue, std::move(tensor), bits);
    }
    write_manifest(folder.string(), manifest);
    write_text(folder / "netlist.yaml", "# " + options.command + "\n" + write_netlist(model.netlist));
    write_text(folder / "host_steps.json", host_steps_text(steps, folder.string()));
    if (!reference.empty()) write_text(folder / reference_file, reference);
    result.commit();
    return host_step_lines(steps);
}

std::vector<std::string> overflow_notes(const EmittedModel& model) {
    std::map<std::string, DataFormat> formats;
    for (const Queue& queue : model.netlist.queues) formats.emplace(queue.name, queue.df);
    std::vector<std::string> notes;
    for (const auto& [queue, literal, bits] : model.constants) {
        const DataFormat df = formats.at(queue);
        const float most = largest_number(df);
        const std::vector<float>& values = literal->floats();
        const auto many = bits ? 0 : std::count_if(values.begin(), values.end(), [most](float v) {
            return std::fabs(v) > most && std::isfinite(v);
        });
        if (many > 0)
            notes.push_back(
                fmt::format("constant '{}': {} of {} datums are beyond {} (largest {:g}) and are cut; a "
                            "format of 8 exponent bits holds them (--default-df Float16_b)",
                            queue, many, values.size(), to_string(df), most));
    }
    return notes;
}

}  // namespace tt::ir
