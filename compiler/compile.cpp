#include "compiler/compile.hpp"

#include <filesystem>
#include <limits>
#include <optional>
#include <set>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/emit.hpp"
#include "compiler/backend/estimate.hpp"
#include "compiler/conv_fracture.hpp"
#include "compiler/onnx/tensor.hpp"
#include "compiler/reference.hpp"
#include "compiler/result_folder.hpp"
#include "compiler/value_file.hpp"
#include "netlist/device.hpp"
#include "netlist/validate.hpp"

namespace fs = std::filesystem;

namespace tt::ir {

namespace {

constexpr std::uint64_t most_graph_text = std::uint64_t{1} << 30;

/// The chip of a product or of a soc descriptor.
std::string arch_of(const std::string& device) {
    std::vector<std::string> names;
    for (const ProductInfo& product : products()) {
        if (product.name == device) return product.arch;
        names.push_back(product.name);
    }
    std::error_code code;
    if (!fs::is_regular_file(device, code))
        fail_input({}, "--device '{}' is no product and no soc descriptor file; see 'ttsim devices'{}", device,
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
    Graph graph = parse_graph(read_file(options.model, most_graph_text), options.model);
    for (Node& node : graph.nodes)
        if (node.is_input() && node.origin.empty()) node.origin = node.name;
    return graph;
}

namespace {

/// One model on one device: from the graph that was read to schedule and netlist.
class Compilation {
public:
    explicit Compilation(const CompileOptions& options)
        : options_(options),
          arch_(arch_of(options.device)),
          machine_(make_machine(arch_, {options.device, "", options.harvested_rows, options.emit.chips})),
          chip_(machine_.find(0)->params),
          grid_(machine_.grid(0)),
          budget_{&chip_, grid_.rows, grid_.cols, options.fidelity, options.microbatch},
          scheduling_(options.schedule) {
        if (options.emit.chips > 1 && chip_.eth.empty())
            fail_input({}, "--num-chips {}: {} has no Ethernet; one chip only", options.emit.chips, arch_);
        scheduling_.overrides = options.overrides;
        scheduling_.t_streaming = options.t_streaming;
    }
    const std::string& arch() const { return arch_; }

    /// Takes the model down to device ops; convolutions in parts as the user says, or where that pays.
    Lowered lower(Graph model) const {
        name_convolutions(model);
        const std::vector<std::string> convolutions = convolution_names(model);
        Lowered lowered = options_.conv_fracture || convolutions.empty()
                              ? run_pipeline(std::move(model), options_.overrides)
                              : lower_fractured(model, options_.overrides, budget_, scheduling_,
                                                {[this](const Graph& graph, const Overrides& overrides) {
                                                     return run_pipeline(graph, overrides);
                                                 },
                                                 [this](const Graph& graph) { return estimate(graph); }});
        check_overrides(options_.overrides, device_ops(lowered.graph), convolutions);
        check_formats(lowered.graph, chip_);
        return lowered;
    }

    /// The schedule of the policy and its netlist. Where the streams of some core need more descriptions than there is
    /// room for, all cores give some of their L1 for them.
    std::pair<Schedule, EmittedModel> schedule(const Graph& graph) const {
        try {
            return scheduled(graph, budget_);
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            for (const std::int64_t blobs : {1, 2, 4})
                if (auto made = with_overlay(graph, blobs * overlay_bytes())) return std::move(*made);
            throw;
        }
    }

    /// Whatever the validator finds now is a mistake of the compiler.
    void check(const EmittedModel& emitted) const {
        Diagnostics problems;
        validate(resolve(emitted.netlist), chip_, grid_, options_.emit.chips, problems);
        try {
            problems.throw_if_any();
        } catch (const Error& error) {
            throw Error(Fault::Internal, {}, std::string("the compiled netlist is not valid: ") + error.what());
        }
    }

private:
    std::pair<Schedule, EmittedModel> scheduled(const Graph& graph, const OpBudget& budget) const {
        const Planner planner(graph, budget, scheduling_);
        if (scheduling_.policy == Policy::Simulated) return quickest(graph, planner, budget);
        Schedule schedule = planner.schedule(scheduling_);
        EmittedModel emitted = emit(graph, schedule, budget, options_.emit);
        return {std::move(schedule), std::move(emitted)};
    }

    std::optional<std::pair<Schedule, EmittedModel>> with_overlay(const Graph& graph, std::int64_t bytes) const {
        ChipParams chip = chip_;
        chip.l1_reserved += bytes;
        OpBudget budget = budget_;
        budget.chip = &chip;
        budget.overlay_size = bytes;
        try {
            return scheduled(graph, budget);
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            return std::nullopt;
        }
    }

    Lowered run_pipeline(Graph graph, const Overrides& overrides) const {
        std::vector<const Pass*> passes;
        for (const Pipeline& pipeline : all_pipelines())
            if (pipeline.name == "default")
                for (const std::string_view name : pipeline.passes) passes.push_back(find_pass(name));
        // buffers of two operands and the result, each twice, and something for constants
        const std::int64_t slice_bytes = (chip_.l1_bytes - chip_.l1_reserved) * 10 / 63;
        Lowered made{std::move(graph), {}, overrides, {}};
        run_passes(
            made.graph, passes,
            {options_.default_df, options_.stable_softmax, options_.host_fallback, &made.host, options_.accumulate_df,
             options_.rules, options_.auto_fusing, options_.t_streaming, overrides, options_.conv_fracture.value_or(1),
             options_.fuse_gelu, [this](const Graph& candidate) { return estimate(candidate); }, slice_bytes,
             chip_.features.fp32_dest && options_.fidelity != Fidelity::LoFi},
            true);
        return made;
    }

    /// Cycles an input takes, for choices between two graphs; infinite where an op fits nowhere.
    double estimate(const Graph& graph) const {
        try {
            return scheduling_.policy == Policy::Simulated
                       ? simulated_cycles(graph)
                       : estimated_cycles(graph, budget_, scheduling_, options_.auto_fusing);
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            return std::numeric_limits<double>::infinity();
        }
    }

    /// Of an execute of a graph on device level, by the policy most of the variants share.
    double simulated_cycles(const Graph& graph) const {
        ScheduleOptions one = scheduling_;
        one.policy = Policy::Balanced;
        const Graph last = with_fused_ops(graph, options_.auto_fusing);
        const Schedule schedule = Planner(last, budget_, one).schedule(one);
        return options_.simulate(emit(last, schedule, budget_, options_.emit).netlist, options_);
    }

    /// Of several schedules, each run on the simulated chip.
    std::pair<Schedule, EmittedModel> quickest(const Graph& graph, const Planner& planner,
                                               const OpBudget& budget) const {
        TT_CHECK(options_.simulate, "the simulated policy has no simulator");
        std::optional<std::pair<Schedule, EmittedModel>> best;
        ScheduleOptions winner;
        double least = 0;
        const auto attempt = [&](const ScheduleOptions& variant) {
            Schedule schedule = planner.schedule(variant);
            EmittedModel emitted = emit(graph, schedule, budget, options_.emit);
            const double cycles = options_.simulate(emitted.netlist, options_);
            if (best && cycles >= least) return;
            schedule.variant =
                fmt::format("{} with dram {}, packing {} and stages {}, {:.0f} cycles an execute",
                            to_string(variant.policy), variant.dram, variant.packing, variant.stages, cycles);
            best.emplace(std::move(schedule), std::move(emitted));
            winner = variant;
            least = cycles;
        };
        for (const ScheduleOptions& variant : variants(scheduling_)) attempt(variant);
        if (scheduling_.column_order) {
            ScheduleOptions rows = winner;
            rows.column_order = false;
            attempt(rows);
        }
        return std::move(*best);
    }

    const CompileOptions& options_;
    std::string arch_;
    Machine machine_;
    const ChipParams& chip_;
    DeviceGrid grid_;
    OpBudget budget_;
    ScheduleOptions scheduling_;
};

}  // namespace

CompileReport compile(const CompileOptions& options) {
    const Compilation compilation(options);
    Graph model = read_model(options);
    if (model.outputs.empty()) fail_input({options.model, 0, 0}, "the model has no outputs");
    check_input_names(options, model);
    const std::map<std::string, Literal> values = read_values(options.inputs);
    const std::string reference = reference_text(model);
    Lowered lowered = compilation.lower(std::move(model));
    auto [schedule, emitted] = compilation.schedule(lowered.graph);
    compilation.check(emitted);

    CompileReport report;
    report.arch = compilation.arch();
    report.ops = schedule.ops.size();
    report.epochs = schedule.epochs;
    report.estimated_cycles = schedule.estimated_cycles;
    report.constants = emitted.constants.size();
    report.decisions = std::move(schedule.decisions);
    report.variant = schedule.variant;
    report.host_steps = write_result(options, emitted, std::move(lowered.host), values, reference);
    report.notes = std::move(lowered.notes);
    for (std::string& note : overflow_notes(emitted)) report.notes.push_back(std::move(note));
    return report;
}

}  // namespace tt::ir
