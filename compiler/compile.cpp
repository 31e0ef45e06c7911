#include "compiler/compile.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "base/yaml_map.hpp"
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

/// The chip of a product or of a soc descriptor.
std::string arch_of(const std::string& device) {
    std::vector<std::string> names;
    for (const ProductInfo& product : products()) {
        if (product.name == device) return product.arch;
        names.push_back(product.name);
    }
    std::error_code code;
    if (!fs::is_regular_file(device, code))
        fail_input({}, "--device '{}' is no product{} and no soc descriptor file; see ttsim devices", device,
                   did_you_mean(device, names));
    std::string arch = to_lower(YamlMap::from_file(device).text("arch_name"));
    if (arch == "wormhole_a0") arch = "wormhole";
    return arch;
}

std::vector<std::string> device_ops(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes)
        if (node.op.starts_with("buda.")) names.push_back(node.name);
    return names;
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

/// The schedule of the policy and its netlist.
static std::pair<Schedule, EmittedModel> scheduled(const Graph& graph, const OpBudget& budget,
                                                   const ScheduleOptions& wanted, const CompileOptions& options) {
    const auto make = [&](const ScheduleOptions& one) {
        Schedule schedule = make_schedule(graph, budget, one);
        EmittedModel emitted = emit(graph, schedule, budget, options.emit);
        return std::pair(std::move(schedule), std::move(emitted));
    };
    if (wanted.policy != Policy::Simulated) return make(wanted);
    TT_CHECK(options.simulate, "the simulated policy has no simulator");
    std::optional<std::pair<Schedule, EmittedModel>> best;
    double least = 0;
    for (const ScheduleOptions& variant : variants(wanted)) {
        auto made = make(variant);
        const double cycles = options.simulate(made.second.netlist, options);
        const std::string note = fmt::format("; {} with packing {} and stages {}, {:.0f} cycles an execute",
                                             to_string(variant.policy), variant.packing, variant.stages, cycles);
        if (best && cycles >= least) continue;
        for (PlacedOp& op : made.first.ops) op.why += note;
        best = std::move(made);
        least = cycles;
    }
    return std::move(*best);
}

CompileReport compile(const CompileOptions& options) {
    const std::string arch = arch_of(options.device);
    const Machine machine = make_machine(arch, {options.device, "", options.harvested_rows, options.emit.chips});
    if (options.emit.chips > 1 && machine.find(0)->params.eth.empty())
        fail_input({}, "--num-chips {}: {} has no Ethernet; one chip only", options.emit.chips, arch);
    Graph graph = read_model(options);
    if (graph.outputs.empty()) fail_input({options.model, 0, 0}, "the model has no outputs");
    check_input_names(options, graph);
    const std::map<std::string, Literal> values = read_values(options.inputs);

    std::vector<const Pass*> passes;
    for (const Pipeline& pipeline : all_pipelines())
        if (pipeline.name == "default")
            for (const std::string_view name : pipeline.passes) passes.push_back(find_pass(name));
    const ChipParams& chip = machine.find(0)->params;
    // buffers of two operands and the result, each twice, and something for constants
    const std::int64_t slice_bytes = (chip.l1_bytes - chip.l1_reserved) * 10 / 63;
    HostProgram host;
    run_passes(graph, passes,
               {options.default_df, options.stable_softmax, options.host_fallback, &host, options.accumulate_df,
                options.rules, options.auto_fusing, options.t_streaming, options.overrides, slice_bytes},
               true);
    check_overrides(options.overrides, device_ops(graph));
    check_formats(graph, chip);

    const DeviceGrid grid = machine.grid(0);
    const OpBudget budget{&chip, grid.rows, grid.cols, options.fidelity, options.microbatch};
    ScheduleOptions scheduling = options.schedule;
    scheduling.overrides = options.overrides;
    scheduling.t_streaming = options.t_streaming;
    auto [schedule, emitted] = scheduled(graph, budget, scheduling, options);
    Diagnostics problems;  // whatever the validator finds now is a mistake of the compiler
    validate(resolve(emitted.netlist), chip, grid, options.emit.chips, problems);
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        throw Error(Fault::Internal, {}, std::string("the compiled netlist is not valid: ") + error.what());
    }

    CompileReport report;
    report.arch = arch;
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
