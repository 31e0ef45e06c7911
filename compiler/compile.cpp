#include "compiler/compile.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "compiler/backend/choice_cache.hpp"
#include "compiler/backend/choices.hpp"
#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/estimate.hpp"
#include "compiler/backend/held_forks.hpp"
#include "compiler/conv_fracture.hpp"
#include "compiler/host/host_rounding.hpp"
#include "compiler/host/host_value.hpp"
#include "compiler/host/index_limits.hpp"
#include "compiler/host/reference.hpp"
#include "compiler/ir/no_device_form.hpp"
#include "compiler/onnx/value_file.hpp"
#include "compiler/pad_tiles.hpp"
#include "compiler/whole_numbers.hpp"
#include "kernels/formats/overflow.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/device/device.hpp"

namespace fs = std::filesystem;

namespace tt::ir {

namespace {

/// The chip of a product, of a path or of a soc descriptor, as chip() takes it.
std::string chip_of(const std::string& device) {
    if (is_chip_path(device)) return device_chip(device);
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

const std::vector<std::string_view>& default_passes() {
    for (const Pipeline& pipeline : all_pipelines())
        if (pipeline.name == "default") return pipeline.passes;
    TT_CHECK(false, "there is no default pipeline");
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
    const std::vector<std::string> names = input_names(graph);
    Diagnostics problems;
    for (const auto& [name, unused] : options.inputs)
        if (std::find(names.begin(), names.end(), name) == names.end())
            problems.error({}, "there are values for '{}', but the model has no such input{}", name,
                           did_you_mean(name, names));
    problems.throw_if_any();
}

constexpr const char* schedule_step = "schedule";
constexpr const char* emit_step = "emit";

/// Its place among the steps.
std::size_t find_step(const std::string& step) {
    const std::vector<std::string> steps = compile_steps();
    const auto found = std::find(steps.begin(), steps.end(), step);
    if (found == steps.end())
        fail_input({}, "no step of the compiler is called '{}'{}", step, did_you_mean(step, steps));
    return static_cast<std::size_t>(found - steps.begin());
}

struct Scheduled {
    Schedule schedule;
    EmittedModel emitted;
    std::optional<Graph> graph;  ///< in place of the one that was given
};

/// One model on one device: from its graph to schedule and netlist.
class Compiler {
public:
    explicit Compiler(const CompileOptions& options)
        : options_(options),
          machine_(make_machine(chip_of(options.device),
                                {options.device, options.cluster, options.harvested_rows, options.emit.chips})),
          chip_(machine_.find(0)->params),
          grid_(machine_.grid(0)),
          budget_{&chip_, grid_.rows, grid_.cols, options.fidelity, options.microbatch, 0, &cache_},
          scheduling_(options.schedule),
          emit_(options.emit) {
        if (options.emit.chips > 1 && chip_.eth.empty())
            fail_input({}, "--num-chips {}: {} has no Ethernet; one chip only", options.emit.chips, chip_.name);
        scheduling_.overrides = options.overrides;
        scheduling_.t_streaming = options.t_streaming;
        emit_.keep_names = options.keep_names;
    }
    const std::string& arch() const { return chip_.name; }

    /// Takes the model down to device ops; convolutions in parts as the user says, or where that pays.
    Lowered lower(const Graph& model) const {
        const std::vector<std::string> convolutions = convolution_names(model);
        Lowered lowered = lower_padded(model, convolutions);
        const OverrideNames names{device_ops(lowered.graph), lowered.apart, convolutions};
        Overrides known = options_.overrides;
        if (options_.ignore_unknown)
            for (std::string& note : drop_unknown(known, names)) lowered.notes.push_back(std::move(note));
        check_overrides(known, names);
        check_formats(lowered.graph, chip_);
        return lowered;
    }

    bool keeps_passes() const { return options_.keep_passes; }
    /// Every graph on the way that lower() went.
    std::vector<PassGraph> passes(const Graph& model, const Overrides& overrides, const TilePadding& padding) const {
        PassRecord record(model);
        run_pipeline(model, overrides, padding, all_of_them, &record);
        return record.take();
    }

    /// The same by so many passes.
    Lowered lower_until(const Graph& model, std::size_t passes) const {
        const std::vector<std::string> convolutions = convolution_names(model);
        const bool searched = !options_.conv_fracture && !convolutions.empty();
        const bool tiled = find_step("lower-to-buda") < passes;
        if (!searched && !tiled) return run_pipeline(model, options_.overrides, {}, passes);
        const Lowered whole = searched ? lower(model) : lower_padded(model, convolutions);
        return run_pipeline(model, whole.overrides, whole.tile_padding, passes);
    }

    /// The schedule of the policy and its netlist. Where the streams of some core need more descriptions than there is
    /// room for, all cores give some of their L1 for them.
    Scheduled schedule(const Graph& graph) const {
        return with_room(graph, [&](const OpBudget& budget) { return relieved(graph, budget); });
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

    /// Queues whose channel the user says are there; with ignore_unknown a note says which are not.
    void check_channels(const EmittedModel& emitted, std::vector<std::string>& notes) const {
        std::vector<std::string> queues;
        for (const Queue& queue : emitted.netlist.queues) queues.push_back(queue.name);
        for (const auto& [name, unused] : options_.emit.channels) {
            if (std::find(queues.begin(), queues.end(), name) != queues.end()) continue;
            const std::string problem =
                fmt::format("no queue of the netlist is called '{}'{}", name, did_you_mean(name, queues));
            if (!options_.ignore_unknown) fail_input({}, "{}", problem);
            notes.push_back("its DRAM channel has no effect: " + problem);
        }
    }

private:
    /// Where a fork would wait for another path, with nops between as long as that is quicker.
    Scheduled relieved(const Graph& graph, const OpBudget& budget) const {
        auto [schedule, emitted] = scheduled(graph, budget);
        Scheduled made{std::move(schedule), std::move(emitted), std::nullopt};
        while (!made.schedule.held_forks.empty()) {
            Graph nops = with_nops(made.graph ? *made.graph : graph, made.schedule.held_forks);
            try {
                auto [with, with_emitted] = scheduled(nops, budget);
                if (!quicker(with, with_emitted, made)) break;
                made = {std::move(with), std::move(with_emitted), std::move(nops)};
            } catch (const Error& error) {
                if (error.fault() != Fault::Unsupported) throw;
                break;
            }
        }
        return made;
    }

    bool quicker(const Schedule& schedule, const EmittedModel& emitted, const Scheduled& than) const {
        if (scheduling_.policy == Policy::Simulated)
            return options_.simulate(emitted, options_) < options_.simulate(than.emitted, options_);
        // fewer of them lead on to none
        return std::pair(schedule.estimated_cycles, schedule.held_forks.size()) <
               std::pair(than.schedule.estimated_cycles, than.schedule.held_forks.size());
    }

    std::pair<Schedule, EmittedModel> scheduled(const Graph& graph, const OpBudget& budget) const {
        const Planner planner(graph, budget, scheduling_);
        if (scheduling_.policy == Policy::Simulated) return quickest(graph, planner, budget);
        Schedule schedule = planner.schedule(scheduling_);
        EmittedModel emitted = emit(graph, schedule, budget, emit_);
        return {std::move(schedule), std::move(emitted)};
    }

    /// make(budget) with the least L1 for more descriptions of streams with which it is not refused. No more of them
    /// help an op that has no room by itself.
    template <class Make>
    std::invoke_result_t<Make, const OpBudget&> with_room(const Graph& graph, Make make) const {
        try {
            return make(budget_);
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported || !ops_without_grid(graph, budget_, scheduling_).empty()) throw;
            for (const std::int64_t blobs : {1, 2, 4}) {
                ChipParams chip = chip_;
                OpBudget budget = budget_;
                budget.overlay_size = blobs * overlay_bytes();
                chip.l1_reserved += budget.overlay_size;
                budget.chip = &chip;
                try {
                    return make(budget);
                } catch (const Error& again) {
                    if (again.fault() != Fault::Unsupported) throw;
                }
            }
            throw;
        }
    }

    /// With more tiles where an op fits nowhere else. What then fits nowhere still is as large as it is.
    Lowered lower_padded(const Graph& model, const std::vector<std::string>& convolutions) const {
        Lowered lowered = lower_in_parts(model, convolutions, {});
        for (int tries = 0; tries < most_paddings; ++tries) {
            TilePadding padding = padding_to_fit(lowered.graph, budget_, scheduling_, lowered.tile_padding);
            if (padding == lowered.tile_padding) break;
            lowered = {};
            lowered = lower_in_parts(model, convolutions, padding);
        }
        if (ops_without_grid(lowered.graph, budget_, scheduling_).empty())
            pad_where_it_pays(model, convolutions, lowered);
        for (const auto& [tiles, more] : lowered.tile_padding)
            lowered.notes.push_back(
                fmt::format("axes of {} tiles are filled up to {}, because cores cannot share {}", tiles, more, tiles));
        return lowered;
    }

    void pad_where_it_pays(const Graph& model, const std::vector<std::string>& convolutions, Lowered& lowered) const {
        const TilePadding before = lowered.tile_padding;
        const TilePadding padding = padding_that_may_pay(lowered.graph, budget_, scheduling_, before);
        if (padding == before) return;
        constexpr double worth = 0.9;
        const double most = worth * estimate(lowered.graph);
        lowered = {};  // large models: one at a time
        lowered = lower_in_parts(model, convolutions, padding);
        if (estimate(lowered.graph) <= most) return;
        lowered = {};
        lowered = lower_in_parts(model, convolutions, before);
    }

    Lowered lower_in_parts(const Graph& model, const std::vector<std::string>& convolutions,
                           const TilePadding& padding) const {
        if (options_.conv_fracture || convolutions.empty()) return run_pipeline(model, options_.overrides, padding);
        return lower_fractured(
            model, options_.overrides, budget_, scheduling_,
            {[&](const Graph& graph, const Overrides& overrides) { return run_pipeline(graph, overrides, padding); },
             [this](const Graph& graph) { return estimate_of(graph); },
             [this](const Graph& graph) { return balanced(graph); }});
    }

    /// `most`: so many passes are run.
    Lowered run_pipeline(Graph graph, const Overrides& overrides, const TilePadding& padding = {},
                         std::size_t most = all_of_them, PassRecord* record = nullptr) const {
        std::vector<const Pass*> passes;
        for (const std::string_view name : default_passes())
            if (passes.size() < most) passes.push_back(find_pass(name));
        // buffers of two operands and the result, each twice, and something for constants
        const std::int64_t l1_bytes = chip_.l1_bytes - chip_.l1_reserved, slice_bytes = l1_bytes * 10 / 63;
        Lowered made{std::move(graph), {}, overrides, {}, {}, {}, padding};
        bool cut = false;
        const Overrides for_passes = with_batch_norms(made.graph, overrides);
        run_passes(
            made.graph, passes,
            {options_.default_df, options_.stable_softmax, options_.host_fallback, &made.host, options_.accumulate_df,
             options_.rules, options_.auto_fusing, options_.t_streaming, for_passes, options_.conv_fracture.value_or(1),
             options_.prestride, options_.fuse_gelu, [this](const Graph& candidate) { return estimate(candidate); },
             slice_bytes, options_.intermediates, chip_.features.fp32_dest && options_.fidelity != Fidelity::LoFi,
             options_.keep_names, l1_bytes, padding},
            true, [&](const Pass& pass, const Graph& left) {
                if (record) record->add(pass.name, left);
                if (pass.name == "insert-nops") made.apart = device_ops(left);
                if (pass.name != "cut-host" || std::exchange(cut, true)) return;
                made.whole_numbers = whole_number_warnings(left, options_.default_df, chip_);
            });
        return made;
    }

    /// A schedule to see what holds up a graph.
    Schedule balanced(const Graph& graph) const {
        ScheduleOptions options = scheduling_;
        if (options.policy == Policy::Random || options.policy == Policy::Simulated) options.policy = Policy::Balanced;
        return with_room(graph,
                         [&](const OpBudget& budget) { return Planner(graph, budget, options).schedule(options); });
    }

    /// For choices between two graphs.
    Estimate estimate_of(const Graph& graph) const {
        try {
            return with_room(graph, [&](const OpBudget& budget) -> Estimate {
                return {scheduling_.policy == Policy::Simulated
                            ? simulated_cycles(graph, budget)
                            : estimated_cycles(graph, budget, scheduling_, options_.auto_fusing),
                        budget.overlay_size};
            });
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            return {std::numeric_limits<double>::infinity(), 0};
        }
    }
    double estimate(const Graph& graph) const { return estimate_of(graph).cycles; }

    /// Of an execute of a graph on device level, by the policy most of the variants share.
    double simulated_cycles(const Graph& graph, const OpBudget& budget) const {
        ScheduleOptions one = scheduling_;
        one.policy = Policy::Balanced;
        const Graph last = with_fused_ops(graph, options_.auto_fusing);
        const Schedule schedule = Planner(last, budget, one).schedule(one);
        return options_.simulate(emit(last, schedule, budget, emit_), options_);
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
            EmittedModel emitted = emit(graph, schedule, budget, emit_);
            const double cycles = options_.simulate(emitted, options_);
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
    Machine machine_;
    static constexpr std::size_t all_of_them = ~std::size_t{0};
    static constexpr int most_paddings = 3;
    const ChipParams& chip_;
    DeviceGrid grid_;
    mutable ChoiceCache cache_;
    OpBudget budget_;
    ScheduleOptions scheduling_;
    EmitOptions emit_;
};

/// Names that later stages know ops and inputs by.
void name_parts(Graph& model) {
    name_inputs(model);
    name_convolutions(model);
    begin_derivations(model);
}

CompileState run_steps(const Compiler& compiler, const Graph& model, const std::string& last) {
    const bool placed = last == schedule_step || last == emit_step;
    Lowered lowered = placed ? compiler.lower(model) : compiler.lower_until(model, find_step(last) + 1);
    CompileState state{std::move(lowered.graph), std::move(lowered.host), std::move(lowered.notes), {}, {}, {}};
    for (std::string& line : lowered.whole_numbers) state.notes.push_back(std::move(line));
    if (!placed) return state;
    if (compiler.keeps_passes()) state.passes = compiler.passes(model, lowered.overrides, lowered.tile_padding);
    auto [schedule, emitted, relieved] = compiler.schedule(state.graph);
    if (relieved) state.graph = std::move(*relieved);
    state.schedule = std::move(schedule);
    if (last != emit_step) return state;
    compiler.check(emitted);
    compiler.check_channels(emitted, state.notes);
    state.emitted = std::move(emitted);
    return state;
}

/// Multiply-adds of an op that the host takes from a device that has no room for it: half a minute a sample.
constexpr double most_host_work = 4e9;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Gives the host what the device refused. Whether there was any that the host computes.
bool give_to_host(Graph& model, const NoDeviceForm& refusal, std::vector<std::string>& notes) {
    bool any = false;
    for (Node& node : model.nodes) {
        const auto& origins = refusal.origins();
        if (node.origin.empty() || std::find(origins.begin(), origins.end(), node.origin) == origins.end()) continue;
        if (node.is_input() || node.is_constant() || node.has("host") || !has_host_value(node)) continue;
        std::vector<Type> in;
        for (const Edge& edge : node.inputs) in.push_back(model.type(edge.value));
        if (host_work(node, in) > most_host_work) continue;
        node.attrs["host"] = std::int64_t{1};
        notes.push_back(fmt::format("'{}' ({}) runs on the host; the device refused it: {}", node.origin, node.op,
                                    first_line(refusal.message())));
        any = true;
    }
    return any;
}

/// With what the device has no room for on the host, if that is allowed.
CompileState run_with_fallback(const Compiler& compiler, Graph& model, const CompileOptions& options,
                               const std::string& last) {
    std::vector<std::string> notes;
    for (;;) {
        try {
            CompileState state = run_steps(compiler, model, last);
            state.notes.insert(state.notes.end(), notes.begin(), notes.end());
            return state;
        } catch (const NoDeviceForm& refusal) {
            if (!options.host_fallback || !give_to_host(model, refusal, notes)) throw;
        }
    }
}

/// Values of every input that is read, given or generated.
Values all_inputs(const CompileOptions& options, const HostProgram& program) {
    Values values;
    std::uint32_t seed = options.seed;
    const std::vector<bool> read = read_nodes(program);
    const std::vector<std::int64_t> below = index_limits(program.graph, 10);
    for (ValueId id = 0; id < read.size(); ++id) {
        const Node& node = program.graph.nodes[id];
        if (!node.is_input() || node.has("device")) continue;
        ++seed;
        if (!read[id]) continue;
        const std::string name = crossing_name(node);
        const auto found = options.inputs.find(name);
        values.emplace(name, found == options.inputs.end() ? generated(node.type, seed, below[id])
                                                           : fitted(found->second, node.type, "", name));
    }
    return values;
}

std::map<std::string, DataFormat> queue_formats(const Netlist& netlist) {
    std::map<std::string, DataFormat> formats;
    for (const Queue& queue : netlist.queues) formats.emplace(queue.name, queue.df);
    return formats;
}

/// As the host pushes it.
Tensor entry_of(const Literal& literal, DataFormat df, bool bits) {
    Tensor entry;
    entry.z = literal.dims()[0];
    entry.rows = literal.dims()[1];
    entry.cols = literal.dims()[2];
    entry.data = literal.floats();
    if (!bits) round_for_push(df, entry.data);
    return entry;
}

/// Made when they are asked for: weights stand in memory once while a model is compiled.
std::vector<QueueConstant> entries_of(const EmittedModel& emitted) {
    const std::map<std::string, DataFormat> formats = queue_formats(emitted.netlist);
    std::vector<QueueConstant> constants;
    for (const auto& [queue, literal, bits, unused] : emitted.constants) {
        const DataFormat df = formats.at(queue);
        const auto make = [values = literal, df, as_bits = bits] { return entry_of(*values, df, as_bits); };
        constants.push_back({queue, {literal->dims()[2], make}, bits});
    }
    return constants;
}

/// Constants that their format does not hold, one line each.
std::vector<std::string> overflow_notes(const EmittedModel& emitted) {
    const std::map<std::string, DataFormat> formats = queue_formats(emitted.netlist);
    std::vector<std::string> notes;
    for (const auto& [queue, literal, bits, unused] : emitted.constants) {
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

/// Constants of the model that something comes of by known steps, and nothing in any other way.
std::vector<ModelParameter> parameters_of(const Graph& model, const EmittedModel& emitted, const HostProgram& host) {
    std::map<std::string, std::vector<ModelParameter::Use>> uses;
    std::set<std::string> mixed;
    const auto see = [&](const DerivationPtr& from, const std::string& queue, const std::string& node) {
        if (!from) return;
        if (from->of.size() > 1 || from->fixed)
            mixed.insert(from->of.begin(), from->of.end());
        else
            uses[from->of.front()].push_back({queue, node, from});
    };
    for (const QueueValues& constant : emitted.constants) see(constant.derivation, constant.queue, "");
    for (const Node& node : host.graph.nodes)
        if (node.is_constant()) see(node.derivation, "", node.name);
    const std::vector<std::size_t> counts = model.use_counts();
    std::vector<ModelParameter> parameters;
    for (ValueId id = 0; id < model.nodes.size(); ++id) {
        const Node& node = model.nodes[id];
        const auto found = uses.find(parameter_name(node));
        if (!node.is_constant() || counts[id] != 1 || found == uses.end() || mixed.count(found->first)) continue;
        parameters.push_back({found->first, node.type, node.literal, std::move(found->second)});
        uses.erase(found);
    }
    return parameters;
}

CompileReport report_of(const std::string& arch, CompileState& state) {
    CompileReport report;
    report.arch = arch;
    report.ops = state.schedule->ops.size();
    report.epochs = state.schedule->epochs;
    report.estimated_cycles = state.schedule->estimated_cycles;
    report.constants = state.emitted->constants.size();
    report.decisions = std::move(state.schedule->decisions);
    report.variant = state.schedule->variant;
    report.notes = std::move(state.notes);
    for (std::string& note : overflow_notes(*state.emitted)) report.notes.push_back(std::move(note));
    return report;
}

}  // namespace

std::vector<std::string> compile_steps() {
    std::vector<std::string> steps;
    std::map<std::string_view, int> times;
    for (const std::string_view name : default_passes()) {
        const int time = ++times[name];
        steps.push_back(time == 1 ? std::string(name) : fmt::format("{}-{}", name, time));
    }
    steps.insert(steps.end(), {schedule_step, emit_step});
    return steps;
}

Literal generated(const Type& type, std::uint32_t seed, std::int64_t below) {
    Literal literal(type.dtype, type.dims, most_read);
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < literal.size(); ++i) {
        const double unit = static_cast<double>(random()) / 4294967296.0;
        literal.set(i, is_float(type.dtype)        ? 2 * unit - 1
                       : type.dtype == DType::Bool ? (unit < 0.5 ? 0 : 1)
                                                   : std::floor(unit * static_cast<double>(below)));
    }
    return literal;
}

std::string device_name(const std::string& device) {
    if (!is_chip_path(device)) return device;
    const ChipParams& given = chip(device);
    const std::string known = device_chip(given.name);
    return !known.empty() && chip(known).file == given.file ? given.name : given.file;
}

CompileState compile_until(Graph model, const CompileOptions& options, const std::string& step) {
    find_step(step);
    const Compiler compiler(options);
    name_parts(model);
    return run_with_fallback(compiler, model, options, step);
}

CompiledModel compile(Graph graph, const CompileOptions& options) {
    const Compiler compiler(options);
    if (graph.outputs.empty()) fail_input({}, "the model has no outputs");
    name_parts(graph);
    check_input_names(options, graph);
    CompiledModel model;
    model.reference = reference_graph(graph);
    CompileState state = run_with_fallback(compiler, graph, options, emit_step);
    EmittedModel& emitted = *state.emitted;
    model.inputs = all_inputs(options, state.host);
    model.parameters = parameters_of(graph, emitted, state.host);
    for (Node& node : state.host.graph.nodes) node.kind.clear();  // of passes that are over
    model.host = {device_name(options.device), options.microbatch, std::move(state.host), std::move(emitted.inputs),
                  std::move(emitted.outputs)};
    model.constants = entries_of(emitted);
    model.report = report_of(compiler.arch(), state);
    model.report.host_steps = host_step_lines(model.host);
    if (std::string line = parts_line(model.host); !line.empty()) model.report.notes.push_back(std::move(line));
    model.programs = std::move(emitted.programs);
    model.netlist = std::move(emitted.netlist);
    model.harvested_rows = options.harvested_rows;
    model.cluster = options.cluster;
    model.passes = std::move(state.passes);
    return model;
}

}  // namespace tt::ir
