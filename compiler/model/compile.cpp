#include "compiler/model/compile.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <random>

#include "base/error_codes.hpp"
#include "base/phase_times.hpp"
#include "base/text.hpp"
#include "compiler/formats/bias_correction.hpp"
#include "compiler/host/host_value.hpp"
#include "compiler/host/reference.hpp"
#include "compiler/ir/check_input_name.hpp"
#include "compiler/ir/derived_constants.hpp"
#include "compiler/ir/legalization_error.hpp"
#include "compiler/model/compiled_parts.hpp"
#include "compiler/model/format_search.hpp"
#include "compiler/model/host_fallback.hpp"
#include "compiler/model/late_overrides.hpp"
#include "compiler/model/model_compiler.hpp"
#include "compiler/model/residue.hpp"
#include "netlist/device/device.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::ir {

namespace {

/// Sets missing origins of convolutions, which text graphs may lack.
void name_convolutions(Graph& model) {
    for (Node& node : model.nodes)
        if (node.origin.empty() && (node.op == op::conv || node.op == op::conv_transpose)) node.origin = node.name;
}

void check_input_names(const CompileOptions& options, const Graph& graph) {
    const std::vector<std::string> names = input_names(graph);
    Diagnostics problems;
    for (const auto& [name, unused] : options.inputs) check_input_name(name, names, "a sample", {}, problems);
    problems.throw_if_any();
}

constexpr const char* schedule_step = "schedule";
constexpr const char* emit_step = "emit";

/// The passes make parameters and the programs of training from a model's forward program.
void refuse_training(const Graph& model) {
    Diagnostics problems;
    for (const Node& node : model.nodes)
        if (node.phase != Phase::Forward)
            problems.unsupported(node.loc,
                                 "'{}' is of the {} program; give the forward program alone, and --training adds the "
                                 "others",
                                 node.name, to_string(node.phase));
        else if (node.is_parameter())
            problems.unsupported(node.loc, "'{}' is a parameter; write it as a constant, which --training trains",
                                 node.name);
    problems.throw_if_any();
}

/// Sets the names that later stages identify ops and inputs by.
void name_parts(Graph& model) {
    refuse_training(model);
    name_inputs(model);
    name_convolutions(model);
    begin_derivations(model);
}

bool has_kernel_broadcasts(const Schedule& schedule) {
    return std::any_of(schedule.ops.begin(), schedule.ops.end(),
                       [](const PlacedOp& op) { return !op.op.cfg.attr.kernel_broadcast.empty(); });
}

/// A model lowered and scheduled.
struct Placed {
    Lowered lowered;
    Scheduled scheduled;
    CompileOptions options;  ///< used for it
};

bool splices_columns(const Node& node) { return node.op == op::buda::splice && node.has(attr::counts); }
bool splices_columns(const Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return splices_columns(node); });
}

bool refuses_splice(const LegalizationError& refusal, const Graph& graph) {
    const std::vector<std::string>& refused = refusal.origins();
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
        return splices_columns(node) && std::find(refused.begin(), refused.end(), node.origin) != refused.end();
    });
}

/// Lowers and schedules. If a splice fits on no grid (it has one column of cores), retries with products instead.
Placed place(const ModelCompiler& compiler, const Graph& model, const CompileOptions& options) {
    Lowered lowered = compiler.lower(model);
    try {
        Scheduled scheduled = compiler.schedule(lowered.graph);
        return {std::move(lowered), std::move(scheduled), options};
    } catch (const LegalizationError& refusal) {
        if (!refuses_splice(refusal, lowered.graph)) throw;
    }
    CompileOptions products = options;
    products.splice_columns = false;
    lowered = {};
    return place(ModelCompiler(products), model, products);
}

/// Replaces the result by that of other options if it is faster. `what`: name of the phase.
void try_options(const Graph& model, const CompileOptions& options, std::string_view what, Placed& placed) {
    const TimedPhase timed(what);
    try {
        const ModelCompiler compiler(options);
        Placed other = place(compiler, model, options);
        if (compiler.cycles(other.scheduled) < compiler.cycles(placed.scheduled)) placed = std::move(other);
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported) throw;
    }
}

/// Tries the model without splices and without kernel broadcasts. Both save L1 or ops, but may restrict grids, so the
/// faster result is kept.
void try_alternatives(const Graph& model, const CompileOptions& options, Placed& placed) {
    CompileOptions other = options;
    SearchBudget work(Search::Alternatives, options.schedule.searches);
    const std::size_t ops = placed.scheduled.schedule.ops.size();
    if (splices_columns(placed.lowered.graph) && work.take(ops)) {
        other.splice_columns = false;
        try_options(model, other, "try without splices", placed);
        other.splice_columns = splices_columns(placed.lowered.graph);
    }
    if (has_kernel_broadcasts(placed.scheduled.schedule) && work.take(ops)) {
        other.use_kernel_broadcasts = false;
        try_options(model, other, "try without kernel broadcasts", placed);
    }
}

/// Schedules the model; if grids are chosen by estimates, tries alternatives as the budgets allow.
Placed schedule_best(const ModelCompiler& compiler, const Graph& model, const CompileOptions& options) {
    Placed placed = place(compiler, model, options);
    const bool by_estimates = options.effort > 0 && !options.simulates() && options.schedule.policy == Policy::Balanced;
    if (!by_estimates) return placed;
    try_alternatives(model, options, placed);
    options.caches->passes.clear();                                         // nothing is lowered any more
    const std::size_t two_runs = 2 * placed.scheduled.schedule.ops.size();  // one alone is no choice
    if (options.simulate && SearchBudget(Search::Simulations, options.schedule.searches).fits(two_runs)) {
        const TimedPhase timed("try schedules on the simulated chip");
        placed.scheduled =
            ModelCompiler(placed.options).quickest_of_few(placed.lowered.graph, std::move(placed.scheduled));
    }
    return placed;
}

CompileState run_steps(const ModelCompiler& compiler, const Graph& model, const CompileOptions& options,
                       const std::string& last) {
    const bool placed = last == schedule_step || last == emit_step;
    std::optional<Scheduled> scheduled;
    Lowered lowered;
    if (placed) {
        Placed well = schedule_best(compiler, model, options);
        lowered = std::move(well.lowered);
        scheduled = std::move(well.scheduled);
    } else {
        lowered = compiler.lower_until(model, step_number(last) + 1);
    }
    CompileState state{std::move(lowered.graph), std::move(lowered.host), std::move(lowered.notes), {}, {}, {}, {}};
    state.ignored_overrides = std::move(lowered.ignored_overrides);
    for (std::string& line : compiler.warnings(lowered)) state.notes.push_back(std::move(line));
    if (!scheduled) return state;
    if (compiler.keeps_passes()) state.passes = compiler.passes(model, lowered.overrides, lowered.tiling);
    auto& [schedule, emitted, rewritten] = *scheduled;
    if (rewritten) state.graph = std::move(*rewritten);
    if (options.count_core_cycles) state.core_cycles = compiler.core_cycles(state.graph);
    state.schedule = std::move(schedule);
    if (last != emit_step) return state;
    {
        const TimedPhase timed("check the netlist");
        compiler.check(emitted);
    }
    compiler.check_channels(emitted, state.notes);
    if (emitted.dynamic_queues && !options.emit.dynamic_queues)
        state.notes.push_back(
            "queues between epochs share memory (as with --dynamic-queues): DRAM has no room for all of them");
    if (options.bias_correction && options.round_constants) {
        const TimedPhase timed("correct biases");
        const auto samples = device_samples(options, state.host);
        bias_correction(lowered.unfused, emitted, options.threads, samples ? &*samples : nullptr);
    }
    state.emitted = std::move(emitted);
    return state;
}

bool is_iteration(const Node& node) { return node.has(attr::iteration); }

/// Whether a refused op is part of a loop, which may fit unrolled.
bool is_in_loop(const Graph& model, const LegalizationError& refusal) {
    const auto& origins = refusal.origins();
    return std::any_of(model.nodes.begin(), model.nodes.end(), [&](const Node& node) {
        return is_iteration(node) && std::find(origins.begin(), origins.end(), node.origin) != origins.end();
    });
}

/// Moves refused ops of at most `most_work` multiply-adds to the host, if that is allowed, until the rest fits.
/// Gradients do not pass through the host: where they would, the device's refusal is thrown.
CompileState run_with_fallback(const Graph& given_model, const CompileOptions& options, const std::string& last,
                               double most_work) {
    const ModelCompiler compiler(options);
    Graph model = given_model;
    std::vector<HostFallbackOps> given;
    std::exception_ptr refused;
    for (;;) {
        options.caches->passes.clear();  // of other options, or of a model with fewer host ops
        try {
            CompileState state = run_steps(compiler, model, options, last);
            for (std::string& line : lines_of(given)) state.notes.push_back(std::move(line));
            return state;
        } catch (const LegalizationError& refusal) {
            if (!options.host_fallback || is_in_loop(model, refusal) || !move_to_host(model, refusal, most_work, given))
                throw;
            if (!refused) refused = std::current_exception();
        } catch (const Error& error) {
            if (options.training && refused && error.fault() == Fault::Unsupported) std::rethrow_exception(refused);
            throw;
        }
    }
}

/// Alternative options that may make a refused model fit.
struct OtherOptions {
    std::string flags;
    CompileOptions options;
};

/// Whether fracturing convolutions may help. If ops fit on no grid, one of them must be a convolution.
bool may_fit_cut(const std::vector<std::string>& convolutions, const LegalizationError* refusal) {
    if (!refusal || !refusal->is_on_any_grid()) return !convolutions.empty();
    const std::vector<std::string>& refused = refusal->origins();
    return std::any_of(convolutions.begin(), convolutions.end(), [&](const std::string& name) {
        return std::find(refused.begin(), refused.end(), name) != refused.end();
    });
}

/// `refusal`: of the model with `options`; nullptr if no single op is the cause.
std::vector<OtherOptions> other_options(const CompileOptions& options, const Graph& model,
                                        const LegalizationError* refusal) {
    constexpr std::int64_t rows = 3;  // of most kernels
    std::vector<OtherOptions> others;
    if (options.prestride_if_refused && !convolution_names(model).empty()) {
        OtherOptions other{" --prestride", options};
        other.options.prestride = true;
        others.push_back(std::move(other));
    }
    if (!options.overrides.empty() || options.schedule.self_cut != ScheduleOptions{}.self_cut) return others;
    const bool cuts = !options.conv_fracture && may_fit_cut(convolution_names(model), refusal);
    const bool sizes = options.schedule.policy == Policy::Balanced && options.schedule.aim == Aim::Throughput &&
                       options.effort < 2 && !(refusal && refusal->is_on_any_grid());
    const auto add = [&](bool cut, bool small) {
        OtherOptions other{"", options};
        if (cut) other.options.conv_fracture = rows;
        if (cut) other.flags += fmt::format(" --conv-fracture {}", rows);
        if (small) other.options.schedule.policy = Policy::MinimizeGrid;
        if (small) other.flags += " --policy minimize_grid";
        others.push_back(std::move(other));
    };
    if (cuts) add(true, false);
    if (sizes) add(false, true);
    if (cuts && sizes) add(true, true);
    return others;
}

/// Retries a model that is refused, or that needs much host work, with other options; only then is much host work
/// allowed.
CompileState run_with_options(const Graph& model, const CompileOptions& options, const std::string& last) {
    std::vector<OtherOptions> ways{{"", options}};
    std::exception_ptr refused;
    std::string why;
    for (const double most_work : {much_host_work, most_host_work}) {
        std::vector<OtherOptions> again;  // options for the second round, with more host work
        for (std::size_t k = 0; k < ways.size(); ++k) {
            const OtherOptions way = ways[k];
            std::optional<TimedPhase> timed;
            if (!way.flags.empty()) timed.emplace("retry with" + way.flags);
            try {
                CompileState state = run_with_fallback(model, way.options, last, most_work);
                if (!way.flags.empty())
                    state.notes.push_back(
                        fmt::format("compiled with{}; otherwise the device refuses: {}", way.flags, why));
                return state;
            } catch (const Error& error) {
                if (error.fault() != Fault::Unsupported) throw;
                const auto* refusal = dynamic_cast<const LegalizationError*>(&error);
                if (refusal && options.host_fallback && can_move_to_host(model, *refusal, most_host_work))
                    again.push_back(way);
                if (refused) continue;
                refused = std::current_exception();
                why = error.message().substr(0, error.message().find('\n'));
                for (OtherOptions& other : other_options(options, model, refusal)) ways.push_back(std::move(other));
            }
        }
        ways = std::move(again);
    }
    std::rethrow_exception(refused);
}

/// Compiles loops as programs if that is requested and possible; else unrolls them.
CompileState run_with_loops(Graph& model, const CompileOptions& options, const std::string& last) {
    const bool loops = std::any_of(model.nodes.begin(), model.nodes.end(), is_iteration);
    if (!loops || options.loops == Loops::Programs) return run_with_options(model, options, last);
    try {
        if (options.loops == Loops::IfProfitable) return run_with_options(model, options, last);
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported) throw;
    }
    for (Node& node : model.nodes) {
        node.erase(attr::iteration);
        node.erase(attr::loop);
    }
    return run_with_options(model, options, last);
}

}  // namespace

std::vector<std::string> compile_steps() {
    std::vector<std::string> steps;
    std::map<std::string_view, int> times;
    for (const std::string_view name : passes_for(false)) {
        const int time = ++times[name];
        steps.push_back(time == 1 ? std::string(name) : fmt::format("{}-{}", name, time));
    }
    steps.insert(steps.end(), {schedule_step, emit_step});
    return steps;
}

std::size_t step_number(const std::string& step) {
    const std::vector<std::string> steps = compile_steps();
    const auto found = std::find(steps.begin(), steps.end(), step);
    if (found == steps.end())
        fail_input({}, "no step of the compiler is called '{}'{}", step, did_you_mean(step, steps));
    return static_cast<std::size_t>(found - steps.begin());
}

Literal random_values(const Type& type, std::uint32_t seed, std::int64_t below) {
    Literal literal(type.dtype, type.dims, max_read_elements);
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

/// The options with a log of the searches and caches, which nested compilations share.
static CompileOptions logged(const CompileOptions& options) {
    CompileOptions all = options;
    all.caches = std::make_shared<CompileCaches>();
    if (!all.schedule.searches) all.schedule.searches = std::make_shared<SearchLog>(options.effort);
    return all;
}

CompileState compile_until(Graph model, const CompileOptions& options, const std::string& step) {
    step_number(step);
    name_parts(model);
    return run_with_loops(model, logged(options), step);
}

CompiledModel compile(Graph graph, const CompileOptions& given) {
    const TimedPhase timed("compile");
    const ModelCompiler compiler(given);
    if (graph.outputs.empty()) fail_input({}, "the model has no outputs");
    name_parts(graph);
    const bool first = !graph.derived_constants;  // repeated compilations of a graph share derived constants
    if (first) graph.derived_constants = std::make_shared<DerivedConstants>();
    check_input_names(given, graph);
    CompileOptions options = logged(given);
    if (options.training) options.simulate = {};  // it runs forward programs only
    std::vector<IgnoredOverride> ignored;
    if (has_late_overrides(options)) ignored = resolve_overrides(graph, options);
    if (options.target) {
        CompiledModel model = compile_to_target(graph, options);
        model.report.ignored_overrides.insert(model.report.ignored_overrides.begin(), ignored.begin(), ignored.end());
        graph.derived_constants->release();
        return model;
    }
    CompiledModel model;
    model.reference = reference_graph(graph);
    const WorkByOrigin work = multiply_adds(graph);
    CompileState state = run_with_loops(graph, options, emit_step);
    if (const std::string* name = overwritten_before_read(state.emitted->netlist, state.emitted->trained)) {
        std::string note = fmt::format(
            "updates are not compensated, as without --compensated-updates: an epoch of the optimizer writes '{}' "
            "before a "
            "later one reads it",
            *name);
        options.training->optimizer.compensated = false;
        state = run_with_loops(graph, options, emit_step);
        state.notes.push_back(std::move(note));
    }
    if (first) graph.derived_constants->release();
    EmittedModel& emitted = *state.emitted;
    model.inputs = all_inputs(options, state.host);
    model.parameters = parameters_of(graph, emitted, state.host);
    for (Node& node : state.host.graph.nodes) node.kind.clear();  // of passes that are over
    model.host = {device_name(options.device), options.microbatch, std::move(state.host), std::move(emitted.inputs),
                  std::move(emitted.outputs)};
    model.constants = entries_of(emitted, options.round_constants);
    if (!options.round_constants)
        for (BoundTensor& tensor : model.host.to_device) tensor.df = DataFormat::Float32;
    model.report = report_of(compiler.arch(), state);
    model.report.ignored_overrides.insert(model.report.ignored_overrides.begin(), ignored.begin(), ignored.end());
    model.report.validated = compiler.chip().validated;
    for (std::string& note : chip_notes(compiler.chip())) model.report.notes.push_back(std::move(note));
    model.report.host_steps = host_step_lines(model.host);
    model.report.searches = options.schedule.searches->uses();
    model.report.effort = options.effort;
    model.report.work = shared_work(work, multiply_adds(model.host.program.graph));
    if (std::string line = parts_line(model.host); !line.empty()) model.report.notes.push_back(std::move(line));
    for (std::string& line : loop_lines(model.host)) model.report.notes.push_back(std::move(line));
    model.programs = std::move(emitted.programs);
    if (options.training) model.optimizer = options.training->optimizer;
    model.microbatch_count = options.emit.microbatch_count;
    model.trained = std::move(emitted.trained);
    for (TrainedParameter& parameter : model.trained)
        for (const Node& node : graph.nodes) {
            if (!node.is_constant() || parameter_name(node) != parameter.name) continue;
            parameter.type = node.type;
            if (parameter.row_count > 0) parameter.type.dims[0] = parameter.row_count;
        }
    model.netlist = std::move(emitted.netlist);
    model.harvested_rows = options.harvested_rows;
    model.cluster = options.cluster;
    model.passes = std::move(state.passes);
    return model;
}

}  // namespace ttsim::impl::ir
