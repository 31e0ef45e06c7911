#include "compiler/options/resolve_request.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

std::optional<DataFormat> format_of(const std::string& name) {
    return name.empty() ? std::nullopt : parse_format(name);
}

void append(std::vector<FormatRule>& rules, std::vector<FormatRule> more) {
    rules.insert(rules.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void resolve_formats(const CompileRequest& request, const std::string& source, CompileOptions& out) {
    std::optional<DataFormat> given = format_of(request.format);
    FormatRules read;
    if (!request.format_rules.empty()) read = parse_format_rules(request.format_rules, source);
    if (!given) given = read.default_df;
    out.default_df = given.value_or(request.amp == 2 ? DataFormat::Float16 : DataFormat::Float16_b);
    out.accumulate_df = format_of(request.accumulate_format);
    out.fidelity = parse_fidelity(request.fidelity).value();
    append(out.rules, amp_rules(static_cast<int>(request.amp), given));
    append(out.rules, light_amp_rules(static_cast<int>(request.amp_light)));
    append(out.rules, std::move(read.rules));
    if (request.target_pcc == 0) return;
    if (request.amp != 0 || request.amp_light != 0)
        fail_input({}, "option target_pcc chooses formats op by op; omit amp and amp_light");
    out.target.emplace();
    out.target->pcc = request.target_pcc;
    out.target->trials = request.trials;
    out.target->any_family = !given;
}

void resolve_schedule(const CompileRequest& request, const std::string& source, CompileOptions& out) {
    out.schedule.policy = parse_policy(request.policy).value();
    out.schedule.aim = parse_aim(request.optimize).value();
    out.schedule.seed = request.seed;
    out.schedule.column_order = request.column_order;
    out.schedule.self_cut = parse_self_cut(request.self_cut).value();
    out.effort = static_cast<int>(request.effort);
    out.microbatch = request.microbatch;
    out.loops = parse_loops(request.loops).value();
    if (request.conv_fracture != 0) out.conv_fracture = request.conv_fracture;
    out.auto_fusing = request.auto_fusing;
    if (request.fuse_gelu) out.fuse_gelu = *request.fuse_gelu ? Fusing::Always : Fusing::Never;
    out.t_streaming = request.t_streaming;
    if (!request.overrides.empty()) parse_overrides(request.overrides, source, out.overrides);
    out.ignore_unknown = request.ignore_unknown;
}

void resolve_training(const CompileRequest& request, CompileOptions& out) {
    const auto set_of = [](const std::vector<std::string>& names) {
        return std::set<std::string>(names.begin(), names.end());
    };
    out.emit.microbatch_count = request.microbatch_count;
    if (!request.training) return;
    if (request.dynamic_queues) fail_input({}, "option training keeps queues between programs; omit dynamic_queues");
    if (request.target_pcc != 0) fail_input({}, "option training takes formats as given; omit target_pcc");
    if (request.effort > 1 || out.schedule.policy == Policy::Simulated)
        fail_input({}, "option training schedules by estimates; use effort 0 or 1, and no simulated policy");
    TrainingRequest& training = out.training.emplace();
    training.parameters = set_of(request.train);
    training.frozen = set_of(request.freeze);
    training.losses = set_of(request.losses);
    training.input_gradients = set_of(request.input_gradients);
    training.dropout_seed = request.dropout_seed;
    training.recompute = request.recompute;
    training.checkpoints = request.checkpoints;
    training.saved_limit = request.saved_limit;
    if (!training.recompute && (!training.checkpoints.empty() || training.saved_limit > 0))
        fail_input({}, "options checkpoints and saved_limit choose what recompute saves; add recompute");
    OptimizerSettings& optimizer = training.optimizer;
    optimizer.kind = parse_optimizer(request.optimizer).value();
    optimizer.learning_rate = request.learning_rate;
    optimizer.momentum = request.momentum;
    optimizer.beta1 = request.beta1;
    optimizer.beta2 = request.beta2;
    optimizer.epsilon = request.epsilon;
    optimizer.weight_decay = request.weight_decay;
    optimizer.bias_correction = request.adam_correction;
    optimizer.dampening = request.dampening;
    optimizer.nesterov = request.nesterov;
    optimizer.trust_coefficient = request.trust_coefficient;
    optimizer.trust_least = request.trust_least;
    optimizer.trust_most = request.trust_most;
    optimizer.compensated = request.compensated_updates;
    for (const auto& [key, value] : {std::pair{"beta1", optimizer.beta1}, std::pair{"beta2", optimizer.beta2}})
        if (optimizer.has_averages() && optimizer.bias_correction && value == 1)
            fail_input({}, "option {} must be below 1: an average that starts at 0 and never moves has no correction",
                       key);
    out.bias_correction = false;  // weights change
    out.loops = Loops::Unrolled;
    out.prestride_if_refused = std::exchange(out.prestride, false);
}

/// Throws Error(Input) unless all are optional passes.
void check_skipped(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const Pass* pass = find_pass(name);
        if (pass && pass->optional) continue;
        std::vector<std::string> optional;
        for (const Pass* known : all_passes())
            if (known->optional) optional.emplace_back(known->name);
        if (pass)
            fail_input({}, "option skip_passes: a model does not compile without the pass '{}'; optional are: {}", name,
                       fmt::join(optional, ", "));
        fail_input({}, "option skip_passes: there is no pass '{}'{}", name, did_you_mean(name, optional));
    }
}

}  // namespace

std::string float_format_problem(const std::string& name) {
    const std::optional<DataFormat> df = parse_format(name);
    if (df && is_tensor_float(*df)) return "";
    return fmt::format(
        "'{}' is not a float format{}", name,
        did_you_mean(name, {"Float32", "Float16", "Float16_b", "Bfp8", "Bfp8_b", "Bfp4", "Bfp4_b", "Bfp2", "Bfp2_b"}));
}

CompileOptions resolve_request(const CompileRequest& request, const RequestSources& sources) {
    check(request);
    CompileOptions out;
    out.device = request.device;
    out.cluster = request.cluster;
    out.harvested_rows = request.harvested_rows;
    out.seed = request.seed;
    out.threads = request.threads;
    out.intermediates = request.intermediates;
    check_skipped(request.skip_passes);
    out.skip_passes = request.skip_passes;
    out.keep_names = request.keep_names;
    out.bias_correction = request.bias_correction;
    out.wide_results = request.wide_results;
    out.stable_softmax = request.stable_softmax;
    out.round_constants = request.round_constants;
    out.prestride = request.prestride;
    out.host_fallback = request.host_fallback;
    out.device_comparisons = request.device_comparisons;
    out.emit.placement = parse_placement(request.dram_placement).value();
    out.emit.chips = request.chips;
    out.emit.channels = request.queue_channels;
    out.emit.dynamic_queues = request.dynamic_queues;
    out.emit.host_inputs = request.host_inputs;
    out.emit.host_outputs = request.host_outputs;
    resolve_formats(request, sources.format_rules, out);
    resolve_schedule(request, sources.overrides, out);
    resolve_training(request, out);
    return out;
}

}  // namespace ttsim::impl::ir
