#include "compiler/compile.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "compiler/backend/emit.hpp"
#include "compiler/onnx/tensor.hpp"
#include "compiler/result_folder.hpp"
#include "compiler/value_file.hpp"
#include "netlist/device.hpp"
#include "netlist/validate.hpp"

namespace fs = std::filesystem;

namespace tt::ir {

namespace {

std::string read_text(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::error_code code;
    if (!in || fs::is_directory(file, code)) fail_input({file, 0, 0}, "the file cannot be read");
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

ProductInfo find_product(const std::string& name) {
    std::vector<std::string> names;
    for (const ProductInfo& product : products()) {
        if (product.name == name) return product;
        names.push_back(product.name);
    }
    fail_input({}, "--device '{}' is no product{}; see ttsim devices", name, did_you_mean(name, names));
}

void check_input_names(const CompileOptions& options, const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes)
        if (node.is_input()) names.push_back(node.origin.empty() ? node.name : node.origin);
    Diagnostics problems;
    for (const auto& [name, file] : options.inputs)
        if (std::find(names.begin(), names.end(), name) == names.end())
            problems.error({options.model, 0, 0}, "--input names '{}', but the model has no such input{}", name,
                           did_you_mean(name, names));
    problems.throw_if_any();
}

std::map<std::string, Literal> read_values(const std::map<std::string, std::string>& files) {
    std::map<std::string, Literal> values;
    for (const auto& [name, file] : files) values.emplace(name, read_value_file(file));
    return values;
}

}  // namespace

Graph read_model(const CompileOptions& options) {
    const std::string extension = fs::path(options.model).extension().string();
    if (extension == ".onnx" || extension == ".pb")
        return read_onnx(options.model, {options.shapes, read_values(options.constants)});
    Graph graph = parse_graph(read_text(options.model), options.model);
    for (Node& node : graph.nodes)
        if (node.is_input() && node.origin.empty()) node.origin = node.name;
    return graph;
}

CompileReport compile(const CompileOptions& options) {
    const ProductInfo product = find_product(options.device);
    const Machine machine = make_machine(product.arch, {options.device, "", {}, 1});
    Graph graph = read_model(options);
    if (graph.outputs.empty()) fail_input({options.model, 0, 0}, "the model has no outputs");
    check_input_names(options, graph);
    const std::map<std::string, Literal> values = read_values(options.inputs);

    std::vector<const Pass*> passes;
    for (const Pipeline& pipeline : all_pipelines())
        if (pipeline.name == "default")
            for (const std::string_view name : pipeline.passes) passes.push_back(find_pass(name));
    HostProgram host;
    run_passes(graph, passes,
               {options.default_df, options.stable_softmax, options.host_fallback, &host, options.accumulate_df,
                options.rules},
               true);
    check_formats(graph, machine.find(0)->params);

    const DeviceGrid grid = machine.grid(0);
    const ChipParams& chip = machine.find(0)->params;
    const OpBudget budget{&chip, grid.rows, grid.cols, options.fidelity, options.microbatch};
    const Schedule schedule = make_schedule(graph, budget, options.schedule);
    const EmittedModel emitted = emit(graph, schedule, budget);
    Diagnostics problems;  // whatever the validator finds now is a mistake of the compiler
    validate(resolve(emitted.netlist), chip, grid, 1, problems);
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        throw Error(Fault::Internal, {}, std::string("the compiled netlist is not valid: ") + error.what());
    }

    CompileReport report;
    report.arch = product.arch;
    report.ops = schedule.ops.size();
    report.epochs = schedule.epochs;
    report.estimated_cycles = schedule.estimated_cycles;
    report.constants = emitted.constants.size();
    for (const PlacedOp& placed : schedule.ops)
        report.explanations.push_back(
            fmt::format("{} ({}, epoch {}): {}", placed.op.name(), placed.op.cfg.type, placed.epoch, placed.why));
    report.host_steps = write_result(options, emitted, std::move(host), values);
    return report;
}

}  // namespace tt::ir
