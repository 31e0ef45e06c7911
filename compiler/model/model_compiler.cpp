#include "compiler/model/model_compiler.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error_codes.hpp"
#include "base/phase_times.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "compiler/formats/integer_indices.hpp"
#include "compiler/model/pad_tiles.hpp"
#include "compiler/model/parameters_to_divide.hpp"
#include "compiler/model/product_parts.hpp"
#include "compiler/options/pass_options.hpp"
#include "compiler/passes/split_products.hpp"
#include "compiler/schedule/ideal_time.hpp"
#include "netlist/checks/validate.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::ir {

std::string chip_of_device(const std::string& device) {
    if (is_chip_path(device)) return device_chip(device);
    std::vector<std::string> names;
    for (const ProductInfo& product : products()) {
        if (product.name == device) return product.arch;
        names.push_back(product.name);
    }
    std::error_code code;
    if (!fs::is_regular_file(device, code))
        fail_input_as(error_code::unknown_name, {},
                      "--device '{}' is neither a product nor a soc descriptor file; products: {}{}", device,
                      fmt::join(names, ", "), did_you_mean(device, names));
    return to_lower(YamlMap::from_file(device).text("arch_name"));
}

const std::vector<std::string_view>& passes_for(bool training) {
    for (const Pipeline& pipeline : all_pipelines())
        if (pipeline.name == (training ? "training" : "default")) return pipeline.passes;
    TT_CHECK(false, "there is no such pipeline");
}

std::vector<std::string> device_ops(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes)
        if (node.op.on_device()) names.push_back(node.name);
    return names;
}

/// Reports contradictory options.
static void check_aim(const CompileOptions& options) {
    const Policy policy = options.schedule.policy;
    if (options.effort >= 2 && policy != Policy::Balanced && policy != Policy::Simulated)
        fail_input({}, "--effort {} searches grids and epochs, and --policy {} fixes them: leave one out",
                   options.effort, to_string(policy));
    if (options.schedule.aim != Aim::Latency) return;
    if (options.microbatch > 1)
        fail_input({},
                   "--optimize latency is for one input at a time, and --microbatch sends {} through each epoch "
                   "before the next: leave one out",
                   options.microbatch);
    if (policy != Policy::Balanced && policy != Policy::Simulated)
        fail_input({}, "--optimize latency chooses grids, and --policy {} fixes them: leave one out",
                   to_string(policy));
}

ModelCompiler::ModelCompiler(const CompileOptions& options)
    : options_(options),
      machine_(make_machine(chip_of_device(options.device),
                            {options.device, options.cluster, options.harvested_rows, options.emit.chips})),
      chip_(machine_.find(0)->params),
      grid_(machine_.grid(0)),
      caches_(options.caches ? options.caches : std::make_shared<CompileCaches>()),
      budget_{&chip_,
              grid_.rows,
              grid_.cols,
              options.fidelity,
              options.microbatch,
              0,
              &caches_->choices,
              options.threads,
              options.use_kernel_broadcasts},
      scheduling_(options.schedule),
      emit_(options.emit),
      scheduler_(options_, budget_, scheduling_, emit_) {
    if (options.emit.chips > 1 && chip_.eth.empty())
        fail_input({}, "--num-chips {}: {} has no Ethernet; one chip only", options.emit.chips, chip_.name);
    check_aim(options);
    scheduling_.overrides = options.overrides;
    scheduling_.t_streaming = options.t_streaming;
    if (options.training) scheduling_.training_chips = options.emit.chips;
    emit_.keep_names = options.keep_names;
}
Lowered ModelCompiler::lower(const Graph& model) const {
    const TimedPhase timed("lower");
    const std::vector<std::string> convolutions = convolution_names(model);
    Lowered lowered = lower_padded(model, convolutions);
    const OverrideNames names{device_ops(lowered.graph), lowered.unfused_ops, convolutions};
    Overrides known = options_.overrides;
    if (options_.ignore_unknown) lowered.ignored_overrides = drop_unknown(known, names);
    for (const IgnoredOverride& ignored : lowered.ignored_overrides)
        lowered.notes.push_back("an override has no effect: " + ignored.message);
    check_overrides(known, names);
    check_formats(lowered.graph, chip_);
    return lowered;
}

Lowered ModelCompiler::lower_once(const Graph& model, const std::string& before) const {
    return run_pipeline(model, options_.overrides, {}, before.empty() ? all_passes : step_number(before));
}

std::vector<PassGraph> ModelCompiler::passes(const Graph& model, const Overrides& overrides,
                                             const Tiling& tiling) const {
    PassRecord record(model);
    run_pipeline(model, overrides, tiling, all_passes, &record);
    return record.take();
}

Lowered ModelCompiler::lower_until(const Graph& model, std::size_t passes) const {
    const std::vector<std::string> convolutions = convolution_names(model);
    const bool searched = !options_.conv_fracture && !convolutions.empty();
    const bool tiled = step_number("lower-to-buda") < passes;
    if (!searched && !tiled) return run_pipeline(model, options_.overrides, {}, passes);
    const Lowered whole = searched ? lower(model) : lower_padded(model, convolutions);
    return run_pipeline(model, whole.overrides, whole.tiling, passes);
}

std::vector<std::string> ModelCompiler::warnings(const Lowered& lowered) const {
    return integer_warnings(lowered.model, options_.default_df, chip_);
}

std::map<std::string, double> ModelCompiler::core_cycles(const Graph& graph) const {
    std::map<std::string, double> cycles;
    for (const OpChoices& op : list_choices(graph, budget_, scheduling_).ops)
        cycles[op.op.name()] = min_core_cycles(op);
    return cycles;
}

void ModelCompiler::check(const EmittedModel& emitted) const {
    Diagnostics problems;
    validate(resolve(emitted.netlist), chip_, grid_, options_.emit.chips, problems);
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        throw Error(Fault::Internal, {}, std::string("the compiled netlist is not valid: ") + error.what());
    }
}

void ModelCompiler::check_channels(const EmittedModel& emitted, std::vector<std::string>& notes) const {
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

Lowered ModelCompiler::lower_padded(const Graph& model, const std::vector<std::string>& convolutions) const {
    Tiling tiling;
    tiling.splices = options_.splice_columns;
    tiling.divided = options_.divided;
    Lowered lowered = lower_in_parts(model, convolutions, tiling);
    for (int tries = 0; tries < most_tilings; ++tries) {
        tiling.padding = padding_to_fit(lowered.graph, budget_, scheduling_, lowered.tiling.padding);
        if (tiling == lowered.tiling)
            tiling.divided = parameters_to_divide(lowered.graph, budget_, scheduling_, lowered.tiling.divided);
        if (tiling == lowered.tiling) break;
        const TimedPhase timed("retry with padded axes and divided parameters");
        lowered = {};
        lowered = lower_in_parts(model, convolutions, tiling);
    }
    SearchBudget work(Search::Products, scheduling_.searches);
    const std::size_t ops = device_ops(lowered.graph).size();
    if (work.fits(ops) && ops_without_grid(lowered.graph, budget_, scheduling_).empty()) {
        tiling.padding = profitable_padding(lowered.graph, budget_, scheduling_, lowered.tiling.padding);
        pad_where_it_pays(model, tiling, lowered);
        split_where_it_pays(model, ops, work, lowered);
    }
    for (const auto& [name, parts] : lowered.tiling.divided)
        lowered.notes.push_back(fmt::format(
            "the rows of '{}' are {} parameters, because the sum of its gradients does not fit L1", name, parts));
    for (const auto& [tiles, more] : lowered.tiling.padding)
        lowered.notes.push_back(
            fmt::format("axes of {} tiles are padded to {}, because cores cannot divide {}", tiles, more, tiles));
    for (const auto& [constant, parts] : lowered.tiling.parts)
        lowered.notes.push_back(
            fmt::format("products with constants of {}x{} tiles are split into {} parts by columns, "
                        "because their few rows leave cores idle",
                        constant.first, constant.second, parts));
    return lowered;
}

/// Required ratio of estimates for another tiling, because parts and more tiles have costs that the estimate ignores.
constexpr double worth_retiling = 0.9;

Lowered ModelCompiler::retiled(const Graph& model, Lowered&& lowered, const Tiling& tiling) const {
    const Overrides overrides = std::move(lowered.overrides);
    std::vector<std::string> notes = std::move(lowered.notes);
    lowered = {};  // large models: one at a time
    Lowered made = run_pipeline(model, overrides, tiling);
    made.notes = std::move(notes);
    return made;
}

void ModelCompiler::pad_where_it_pays(const Graph& model, const Tiling& tiling, Lowered& lowered) const {
    const Tiling before = lowered.tiling;
    if (tiling == before) return;
    const TimedPhase timed("try padded axes");
    const double most = worth_retiling * estimate(lowered);
    const std::optional<Estimate> known = lowered.estimate;
    lowered = retiled(model, std::move(lowered), tiling);
    if (estimate(lowered) <= most) return;
    lowered = retiled(model, std::move(lowered), before);
    lowered.estimate = known;
}

void ModelCompiler::split_where_it_pays(const Graph& model, std::size_t ops, SearchBudget& work,
                                        Lowered& lowered) const {
    ProductParts tried;
    // parts need cores of other ops in the epoch, so try fewer parts too
    for (std::int64_t most = most_product_parts; most > 1 && work.fits(ops); most /= 2) {
        Tiling tiling = lowered.tiling;
        tiling.parts = profitable_parts(lowered.graph, budget_, scheduling_, most);
        if (tiling.parts == tried) continue;
        const TimedPhase timed("try products in parts");
        work.spend(ops);
        const double whole = estimate(lowered);
        if (scheduler_.estimate(split_for_estimate(lowered.graph, tiling.parts)) <= worth_retiling * whole) {
            lowered = retiled(model, std::move(lowered), tiling);
            return;
        }
        tried = std::move(tiling.parts);
    }
}

Lowered ModelCompiler::lower_in_parts(const Graph& model, const std::vector<std::string>& convolutions,
                                      const Tiling& tiling) const {
    if (options_.conv_fracture || convolutions.empty()) return run_pipeline(model, options_.overrides, tiling);
    return lower_fractured(
        model, options_.overrides, budget_, scheduling_,
        {[&](const Graph& graph, const Overrides& overrides) { return run_pipeline(graph, overrides, tiling); },
         [this](const Graph& graph) { return scheduler_.estimate_of(graph); },
         [this](const Graph& graph) { return scheduler_.balanced(graph); }});
}

PassOptions ModelCompiler::options_of_passes(const Graph& model, const Overrides& overrides,
                                             const Tiling& tiling) const {
    // double buffers of two operands and the result, and a reserve for constants
    const std::int64_t l1_bytes = chip_.l1_bytes - chip_.l1_reserved;
    PassOptions options = pass_options(options_);
    options.overrides = with_batch_norms(model, overrides);
    options.estimate = [this](const Graph& candidate) { return scheduler_.estimate(candidate); };
    options.tiling = tiling;
    options.wide_dest = chip_.features.fp32_dest && options_.fidelity != Fidelity::LoFi;
    options.l1_bytes = l1_bytes;
    options.slice_bytes = l1_bytes * 10 / 63;
    options.sum_bytes = options.slice_bytes * grid_.rows * grid_.cols;
    options.divided = tiling.divided;
    return options;
}

Lowered ModelCompiler::run_pipeline(const Graph& model, const Overrides& overrides, const Tiling& tiling,
                                    std::size_t most, PassRecord* record) const {
    const TimedPhase timed("passes");
    std::vector<const Pass*> passes;
    std::size_t steps = 0;
    for (const std::string_view name : passes_for(options_.training.has_value()))
        if (steps++ < most && std::ranges::count(options_.skip_passes, name) == 0) passes.push_back(find_pass(name));
    const PassChoices choices{overrides, tiling, options_.use_kernel_broadcasts};
    const bool keeps = most == all_passes && !record && PassCache::fits(model);
    PassCache& cache = caches_->passes;
    if (const PassCache::State* known = keeps ? cache.find("", choices) : nullptr) {
        Lowered made = known->made;
        made.overrides = overrides;
        return made;
    }
    std::size_t next = passes.size();
    const PassCache::State* known = nullptr;
    while (keeps && next > 0 && !known) known = cache.find(passes[--next]->name, choices);
    PassCache::State state = known ? *known : PassCache::State{{model, {}, {}, {}, {}, {}, {}, {}, {}, {}}, false};
    if (!known) next = 0;
    Lowered& made = state.made;
    made.overrides = overrides;
    made.tiling = tiling;
    PassOptions options = options_of_passes(model, overrides, tiling);
    options.host = &made.host;
    for (; next < passes.size(); ++next) {
        const Pass& pass = *passes[next];
        if (keeps) cache.keep(pass.name, choices, state);
        run_passes(made.graph, std::span(&passes[next], 1), options, true);
        if (record) record->add(pass.name, made.graph);
        if (pass.name == "mixed-precision") made.unfused = made.graph;
        if (pass.name == "insert-nops") made.unfused_ops = device_ops(made.graph);
        if (pass.name == "cut-host" && !std::exchange(state.host_is_cut, true)) made.model = made.graph;
    }
    if (keeps) cache.keep("", choices, state);
    return std::move(made);
}

double ModelCompiler::estimate(Lowered& lowered) const {
    if (!lowered.estimate) lowered.estimate = scheduler_.estimate_of(lowered.graph);
    return lowered.estimate->cycles;
}

}  // namespace ttsim::impl::ir
