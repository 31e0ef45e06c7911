#include "compiler/files/model_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/phase_times.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/ir/check_input_name.hpp"
#include "compiler/onnx/read.hpp"
#include "compiler/onnx/value_file.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::uint64_t most_graph_text = std::uint64_t{1} << 30;

void check_input_names(const ModelFiles& files, const Graph& graph) {
    const std::vector<std::string> names = input_names(graph);
    Diagnostics problems;
    for (const auto& [name, file] : files.inputs)
        check_input_name(name, names, "--input", {files.model, 0, 0}, problems);
    problems.throw_if_any();
}

std::map<std::string, Literal> read_values(const std::map<std::string, std::string>& files) {
    std::map<std::string, Literal> values;
    for (const auto& [name, file] : files) values.emplace(name, read_value_file(file));
    return values;
}

/// Reads files, or numbers if no file has that name. A number is the value of every element.
std::map<std::string, Literal> read_constants(const std::map<std::string, std::string>& given) {
    std::map<std::string, Literal> values;
    for (const auto& [name, text] : given) {
        double number = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
        std::error_code none;
        if (code == std::errc() && end == text.data() + text.size() && !std::filesystem::exists(text, none)) {
            Literal value(DType::F64, {});
            value.set(0, number);
            values.emplace(name, std::move(value));
        } else {
            values.emplace(name, read_value_file(text));
        }
    }
    return values;
}

/// The values in the element type.
Literal converted(const Literal& given, const Type& type) {
    if (given.dtype() == type.dtype) return given;
    Literal made(type.dtype, type.dims, max_read_elements);
    for (std::int64_t i = 0; i < made.size(); ++i) made.set(i, given.at(i));
    return made;
}

/// Makes constants of inputs of a graph in text form.
void set_constants(Graph& graph, const ModelFiles& files) {
    const std::map<std::string, Literal> given = read_constants(files.constants);
    for (Node& node : graph.nodes) {
        const auto found = given.find(boundary_name(node));
        if (!node.is_input() || node.is_parameter() || found == given.end()) continue;
        const auto& [name, value] = *found;
        const bool number = value.dims().empty() && value.dtype() == DType::F64;
        node.literal = std::make_shared<Literal>(
            number ? Literal::filled(converted(value, {node.type.dtype, {}, {}}), node.type.dims)
                   : converted(fitted(value, node.type, files.constants.at(name), name), node.type));
        node.op = op::constant;
        node.attrs = {};
    }
}

/// The dims of a graph in text form are all given. Throws Error(Input) unless --shape asks for the same.
void check_shapes(const Graph& graph, const ModelFiles& files, Diagnostics& problems) {
    for (const Node& node : graph.nodes) {
        const auto found = files.shapes.find(boundary_name(node));
        if (node.is_input() && found != files.shapes.end() && found->second != node.type.dims)
            problems.error(node.loc, "input '{}' is {}, and --shape asks for [{}]; a graph in text form has fixed dims",
                           found->first, to_string(node.type), fmt::join(found->second, ", "));
    }
}

/// A graph in text form.
Graph read_text(const ModelFiles& files) {
    Graph graph = parse_graph(read_file(files.model, most_graph_text), files.model);
    name_inputs(graph);
    const std::vector<std::string> names = input_names(graph);
    const SourceLoc where{files.model, 0, 0};
    Diagnostics problems;
    for (const auto& [name, text] : files.constants) check_input_name(name, names, "--constant", where, problems);
    for (const auto& [name, dims] : files.shapes) check_input_name(name, names, "--shape", where, problems);
    check_shapes(graph, files, problems);
    problems.throw_if_any();
    set_constants(graph, files);
    return graph;
}

/// Reads input values and converts them to the input types. Values of unused inputs are ignored. `samples`: inputs may
/// have several samples.
Values read_inputs(const ModelFiles& files, const Graph& graph, bool samples) {
    Values values = read_values(files.inputs);
    const std::vector<std::size_t> reads = graph.use_counts();
    for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        const auto found = values.find(boundary_name(node));
        if (!node.is_input() || found == values.end()) continue;
        const std::string& name = found->first;
        if (reads[id] == 0) {
            values.erase(found);
        } else {
            const std::string& file = files.inputs.at(name);
            found->second = samples ? fitted_samples(found->second, node.type, file, name)
                                    : fitted(found->second, node.type, file, name);
        }
    }
    return values;
}

}  // namespace

Graph read_model(const ModelFiles& files, std::vector<std::string>* notes) {
    const std::string extension = std::filesystem::path(files.model).extension().string();
    if (extension == ".onnx" || extension == ".pb" || !files.onnx.empty()) {
        OnnxOptions options{files.shapes, read_constants(files.constants), std::nullopt, notes, files.threads};
        options.value_dims = [&](const std::string& input) -> std::optional<Dims> {
            const auto file = files.inputs.find(input);
            return file == files.inputs.end() ? std::nullopt : std::optional(read_value_file(file->second).dims());
        };
        return files.onnx.empty() ? read_onnx(files.model, std::move(options))
                                  : parse_onnx(files.onnx, files.model, options);
    }
    return read_text(files);
}

CompiledModel compile_model(const ModelFiles& files, CompileOptions options) {
    std::vector<std::string> notes;
    std::optional<TimedPhase> timed;
    timed.emplace("read the model");
    Graph graph = read_model(files, &notes);
    if (graph.outputs.empty()) fail_input({files.model, 0, 0}, "the model has no outputs");
    check_input_names(files, graph);
    options.inputs = read_inputs(files, graph, options.target.has_value());
    timed.reset();
    options.threads = files.threads;
    CompiledModel model = compile(std::move(graph), options);
    model.command = files.command;
    model.report.notes.insert(model.report.notes.begin(), notes.begin(), notes.end());
    return model;
}

CompileReport compile_files(const ModelFiles& files, CompileOptions options) {
    CompiledModel model = compile_model(files, std::move(options));
    write_folder(model, files.out, files.threads);
    return std::move(model.report);
}

}  // namespace ttsim::impl::ir
