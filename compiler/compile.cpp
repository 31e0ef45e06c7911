#include "compiler/compile.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "compiler/backend/emit.hpp"
#include "compiler/backend/estimate.hpp"
#include "compiler/conv_fracture.hpp"
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

/// Their ops are known by their origin, which a graph in text form need not say.
void name_convolutions(Graph& model) {
    for (Node& node : model.nodes)
        if (node.origin.empty() && (node.op == "conv" || node.op == "conv_transpose")) node.origin = node.name;
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
    const Planner planner(graph, budget, wanted);
    const auto make = [&](const ScheduleOptions& one) {
        Schedule schedule = planner.schedule(one);
        EmittedModel emitted = emit(graph, schedule, budget, options.emit);
        return std::pair(std::move(schedule), std::move(emitted));
    };
    if (wanted.policy != Policy::Simulated) return make(wanted);
    TT_CHECK(options.simulate, "the simulated policy has no simulator");
    std::optional<std::pair<Schedule, EmittedModel>> best;
    ScheduleOptions winner;
    double least = 0;
    const auto attempt = [&](const ScheduleOptions& variant) {
        auto made = make(variant);
        const double cycles = options.simulate(made.second.netlist, options);
        if (best && cycles >= least) return;
        made.first.variant =
            fmt::format("{} with dram {}, packing {} and stages {}, {:.0f} cycles an execute",
                        to_string(variant.policy), variant.dram, variant.packing, variant.stages, cycles);
        best = std::move(made);
        winner = variant;
        least = cycles;
    };
    for (const ScheduleOptions& variant : variants(wanted)) attempt(variant);
    if (wanted.column_order) {
        ScheduleOptions rows = winner;
        rows.column_order = false;
        attempt(rows);
    }
    return std::move(*best);
}

/// Of an execute of a graph on device level, by the policy most of the variants share.
static double simulated_cycles(const Graph& graph, const OpBudget& budget, const ScheduleOptions& wanted,
                               const CompileOptions& options) {
    ScheduleOptions one = wanted;
    one.policy = Policy::Balanced;
    const Graph last = with_fused_ops(graph, options.auto_fusing);
    const Schedule schedule = Planner(last, budget, one).schedule(one);
    return options.simulate(emit(last, schedule, budget, options.emit).netlist, options);
}

CompileReport compile(const CompileOptions& options) {
    const std::string arch = arch_of(options.device);
    const Machine machine = make_machine(arch, {options.device, "", options.harvested_rows, options.emit.chips});
    if (options.emit.chips > 1 && machine.find(0)->params.eth.empty())
        fail_input({}, "--num-chips {}: {} has no Ethernet; one chip only", options.emit.chips, arch);
    Graph model = read_model(options);
    name_convolutions(model);
    if (model.outputs.empty()) fail_input({options.model, 0, 0}, "the model has no outputs");
    check_input_names(options, model);
    const std::vector<std::string> convolutions = convolution_names(model);
    const std::map<std::string, Literal> values = read_values(options.inputs);

    std::vector<const Pass*> passes;
    for (const Pipeline& pipeline : all_pipelines())
        if (pipeline.name == "default")
            for (const std::string_view name : pipeline.passes) passes.push_back(find_pass(name));
    const ChipParams& chip = machine.find(0)->params;
    // buffers of two operands and the result, each twice, and something for constants
    const std::int64_t slice_bytes = (chip.l1_bytes - chip.l1_reserved) * 10 / 63;
    const DeviceGrid grid = machine.grid(0);
    const OpBudget budget{&chip, grid.rows, grid.cols, options.fidelity, options.microbatch};
    ScheduleOptions scheduling = options.schedule;
    scheduling.overrides = options.overrides;
    scheduling.t_streaming = options.t_streaming;
    const auto estimate = [&](const Graph& candidate) {
        try {
            return scheduling.policy == Policy::Simulated
                       ? simulated_cycles(candidate, budget, scheduling, options)
                       : estimated_cycles(candidate, budget, scheduling, options.auto_fusing);
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            return std::numeric_limits<double>::infinity();  // some op fits nowhere
        }
    };
    const auto lower = [&](const Overrides& overrides) {
        Lowered made{model, {}, overrides, {}};
        run_passes(
            made.graph, passes,
            {options.default_df, options.stable_softmax, options.host_fallback, &made.host, options.accumulate_df,
             options.rules, options.auto_fusing, options.t_streaming, overrides, options.conv_fracture.value_or(1),
             options.fuse_gelu, estimate, slice_bytes, chip.features.fp32_dest && options.fidelity != Fidelity::LoFi},
            true);
        return made;
    };
    Lowered lowered = options.conv_fracture
                          ? lower(options.overrides)
                          : lower_fractured(model, options.overrides, budget, scheduling, {lower, estimate});
    const Graph& graph = lowered.graph;
    check_overrides(options.overrides, device_ops(graph), convolutions);
    check_formats(graph, chip);
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
    report.decisions = std::move(schedule.decisions);
    report.variant = schedule.variant;
    report.host_steps = write_result(options, emitted, std::move(lowered.host), values);
    report.notes = std::move(lowered.notes);
    return report;
}

}  // namespace tt::ir
