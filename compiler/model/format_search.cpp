#include "compiler/model/format_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compiler/formats/format_costs.hpp"
#include "compiler/host/reference.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/model/model_run.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr double uncorrelated_noise = 1e6;  ///< noise of outputs without correlation

/// The relative power of errors for a correlation.
double noise_of_pcc(double pcc) { return pcc > 1e-3 ? 1 / (pcc * pcc) - 1 : uncorrelated_noise; }

/// The value that is compared with the target: the correlation, or for a single number 1 minus the relative error.
double similarity(const Literal& have, const Literal& want) {
    if (have.size() != 1 || !is_float(have.dtype()) || !std::isfinite(want.at(0))) return agreement(have, want).pcc;
    constexpr double least = 1e-6;  // lower limit of the divisor
    const double error = std::fabs(have.at(0) - want.at(0)) / std::max(std::fabs(want.at(0)), least);
    return error <= 1 ? 1 - error : 0;  // also for NaN
}

/// A compilation with some settings, and its simulation.
struct Trial {
    CompiledModel model;
    std::vector<OpSetting> settings;  ///< empty: a preset
    std::vector<FormatRule> rules;
    DataFormat default_df = DataFormat::Float16_b;
    double pcc = 0;  ///< the worst output and sample
    double noise() const { return noise_of_pcc(std::min(pcc, 1.0)); }
    double cycles = 0;  ///< of an execute, if it reaches the target
    Measured measured;
};

class FormatSearcher {
public:
    FormatSearcher(const Graph& model, const CompileOptions& options)
        : model_(model), requested_(options), options_(options) {
        options_.target.reset();
        options_.keep_passes = false;
        options_.fp16_quantizers = false;  // measurements need formats of the default's family
        options_.default_df = wide_format(options.default_df);
        if (options_.schedule.policy == Policy::Simulated) options_.schedule.policy = Policy::Balanced;
        options_.effort = std::min(options_.effort, 1);
        options_.simulate = nullptr;
        target_ = *options.target;
        take_samples();
        least_noise_ = noise_of_pcc(target_.pcc);
        wide_ = at_step("mixed-precision", options_.default_df);
        units_ =
            format_units(wide_, at_step("mixed-precision", narrow_format()), at_step("order-ops", options_.default_df));
        weights_.assign(units_.size(), 1.0);
        table_.emplace(units_.size());
    }

    CompiledModel run() {
        measure_levels();
        if (best_) most_accurate_.reset();
        try_presets();
        if (!best_) return finished(std::move(*most_accurate_));
        if (best_level_ + 1 < levels.size()) {
            weigh_segments();
            refine();
        } else {
            mix_levels();
        }
        return finished(std::move(*best_));
    }

private:
    static constexpr double close_enough = 0.85;  ///< share of the allowed noise
    static constexpr std::size_t max_segments = 8;

    DataFormat narrow_format() const {
        return info(options_.default_df).family == FormatFamily::A ? DataFormat::Bfp8 : DataFormat::Bfp8_b;
    }
    Graph at_step(const std::string& step, DataFormat df) const {
        CompileOptions options = options_;
        options.default_df = df;
        options.rules.clear();
        return compile_until(model_, options, step).graph;
    }

    void take_samples() {
        for (const Node& node : model_.nodes) {
            const auto found = options_.inputs.find(boundary_name(node));
            if (!node.is_input() || found == options_.inputs.end()) continue;
            Literal all = fitted_samples(found->second, node.type, "", found->first);
            found->second = split_samples(all, node.type).front();
            samples_given_.insert_or_assign(found->first, std::move(all));
        }
    }

    // --- trials ------------------------------------------------------------------------------------------------------

    std::int64_t trials_left() const { return target_.trials - trials_; }

    void report_progress(const std::string& what) const {
        if (target_.progress)
            target_.progress(
                what, static_cast<double>(trials_) / static_cast<double>(std::max<std::int64_t>(1, target_.trials)));
    }

    CompileOptions with(std::vector<FormatRule> rules, DataFormat default_df) const {
        CompileOptions options = options_;
        options.default_df = default_df;
        options.rules = std::move(rules);
        options.rules.insert(options.rules.end(), options_.rules.begin(), options_.rules.end());  // the user's win
        options.count_core_cycles = true;
        return options;
    }

    /// The samples of all inputs; missing ones from the compiled model.
    Values samples_for(const CompiledModel& model) const {
        Values inputs = samples_given_;
        for (const auto& [name, value] : model.inputs) inputs.emplace(name, value);
        return inputs;
    }

    /// Computes reference outputs: by the model in float32 if that is fast, else by its netlist without rounding.
    void set_reference(const CompiledModel& model) {
        inputs_ = samples_for(model);
        if (model.reference) {
            const Reference reference(*model.reference, model.host.program.graph);
            std::map<std::string, std::vector<Literal>> split;
            for (const Node& node : model.host.program.graph.nodes)
                if (const auto found = inputs_.find(boundary_name(node)); node.is_input() && found != inputs_.end())
                    split[found->first] =
                        split_samples(fitted_samples(found->second, node.type, "", found->first), node.type);
            std::vector<Values> outputs;
            const std::vector<Values> samples = by_sample(split, {});
            if (static_cast<std::int64_t>(samples.size()) <= reference.most_samples()) {
                for (const Values& sample : samples)
                    if (auto made = reference.outputs(sample)) outputs.push_back(std::move(*made));
                if (outputs.size() == samples.size() && !outputs.empty()) {
                    for (auto& [name, value] : join_samples(model.host.program.graph, outputs))
                        reference_.emplace(name, std::move(value));
                    return;
                }
            }
        }
        CompileOptions exact = with(rules_of(units_, settings_at(0)), options_.default_df);
        exact.round_constants = false;
        reference_ = target_.measure(compile(model_, exact), {inputs_, true, false}).outputs;
    }

    /// The worst correlation of all outputs, sample by sample.
    double worst_pcc(const CompiledModel& model, const Values& outputs) {
        double worst = 1;
        for (const Output& output : model.host.program.graph.outputs) {
            const auto have = outputs.find(output.name);
            const auto want = reference_.find(output.name);
            if (have == outputs.end() || want == reference_.end()) continue;
            const Type type = model.host.program.graph.type(output.value);
            const std::vector<Literal> a = split_samples(have->second, type), b = split_samples(want->second, type);
            samples_ = static_cast<std::int64_t>(a.size());
            for (std::size_t k = 0; k < a.size(); ++k) worst = std::min(worst, similarity(a[k], b[k]));
        }
        return worst;
    }

    Trial attempt(std::vector<OpSetting> settings, const std::string& what, bool by_op = false) {
        std::vector<FormatRule> rules = rules_of(units_, settings);
        return attempt(std::move(settings), std::move(rules), options_.default_df, what, by_op);
    }
    Trial attempt(std::vector<OpSetting> settings, std::vector<FormatRule> rules, DataFormat default_df,
                  const std::string& what, bool by_op) {
        report_progress(what);
        Trial trial{
            compile(model_, with(rules, default_df)), std::move(settings), std::move(rules), default_df, 0, 0, {}};
        if (reference_.empty()) set_reference(trial.model);
        const std::string failed = measure(trial, by_op);
        ++trials_;
        std::string step = failed.empty() ? fmt::format("{}: PCC {:.5f}", what, trial.pcc) : what + ": " + failed;
        if (trial.pcc >= target_.pcc) {
            trial.cycles = cycles_of(trial.model);
            step += fmt::format(", {:.0f} cycles", trial.cycles);
        }
        steps_.push_back(std::move(step));
        return trial;
    }

    /// Measures a trial; returns the error or "". If the device computes indices for the host, losses can make them
    /// invalid; such formats are rejected.
    std::string measure(Trial& trial, bool by_op) {
        try {
            trial.measured = target_.measure(trial.model, {inputs_, false, by_op});
        } catch (const Error& wrong) {
            if (wrong.fault() != Fault::Input) throw;
            trial.pcc = 0;
            for (const FormatUnit& unit : units_)
                for (const FormatUnit::Member& member : unit.members)
                    trial.measured.alone[member.name] = uncorrelated_noise;
            return wrong.message();
        }
        trial.pcc = worst_pcc(trial.model, trial.measured.outputs);
        trial.measured.outputs.clear();
        return "";
    }

    void keep_if_better(Trial&& trial) {
        if (trial.pcc < target_.pcc) return;
        quick_.push_back({trial.cycles, trial.pcc, trial.settings, trial.rules, trial.default_df});
        if (best_ && std::pair(best_->cycles, -best_->pcc) <= std::pair(trial.cycles, -trial.pcc)) return;
        best_ = std::move(trial);
    }

    // --- 1: levels ---------------------------------------------------------------------------------------------------

    std::vector<OpSetting> settings_at(std::size_t level) const {
        std::vector<OpSetting> settings;
        for (const FormatUnit& unit : units_) settings.push_back(unit.at(levels.at(level)));
        return settings;
    }

    /// Rounding noise of the constant operands of an op. The measurement of the op alone does not contain it, because
    /// golden uses the rounded constants.
    double constants_noise(const FormatUnit& unit, OpSetting setting) const {
        double noise = 0;
        for (const FormatUnit::Member& member : unit.members)
            for (const std::size_t k : member.constants) {
                const Node& node = *nodes_.at(member.name);
                noise += rounding_noise(*wide_.nodes[node.inputs[k].value].literal, unit.weights(setting),
                                        unit.fidelity(setting), k);
            }
        return noise;
    }

    /// Measured cost and noise of a unit's members, without rounding noise of constants.
    static SettingCost measured_cost(const FormatUnit& unit, const Trial& trial) {
        SettingCost sum;
        for (const FormatUnit::Member& member : unit.members) {
            const auto cycles = trial.model.report.core_cycles.find(member.name);
            if (cycles != trial.model.report.core_cycles.end()) sum.cycles += cycles->second;
            const auto noise = trial.measured.alone.find(member.name);
            if (noise != trial.measured.alone.end()) sum.noise += std::min(noise->second, uncorrelated_noise);
        }
        return sum;
    }

    void add_to_table(std::size_t level, const Trial& trial) {
        if (nodes_.empty())
            for (const Node& node : wide_.nodes) nodes_.emplace(node.name, &node);
        std::vector<SettingCost> costs(units_.size());
        for (std::size_t u = 0; u < units_.size(); ++u) {
            costs[u] = measured_cost(units_[u], trial);
            costs[u].noise += constants_noise(units_[u], trial.settings[u]);
        }
        table_->add(level, std::move(costs));
    }

    /// Measures levels from the fastest to one beyond the first that reaches the target, and at least until levels with
    /// 16-bit and 8-bit results are both measured.
    void measure_levels() {
        constexpr std::size_t told_apart = 2;
        for (std::size_t level = levels.size(); level-- > 0;) {
            if (trials_left() < 1 && most_accurate_) break;
            const OpSetting setting = levels.at(level);
            Trial trial = attempt(settings_at(level),
                                  fmt::format("all in {}, {}, weights of {} bits",
                                              to_string(setting.narrow ? narrow_format() : options_.default_df),
                                              to_string(multiply_modes.at(setting.multiply).fidelity),
                                              multiply_modes.at(setting.multiply).weight_bits),
                                  true);
            add_to_table(level, trial);
            const bool reached = trial.pcc >= target_.pcc;
            if (reached && !passing_) {
                passing_ = level;
                passing_noise_ = trial.noise();
            }
            first_below_ = reached ? "" : first_below(trial);
            if (reached)
                keep_if_better(std::move(trial));
            else if (!best_)
                most_accurate_ = std::move(trial);
            if (passing_ && level < *passing_ && level <= told_apart) break;
        }
        if (passing_) best_level_ = *passing_;
    }

    /// The first op whose accumulated loss is above the limit.
    std::string first_below(const Trial& trial) const {
        for (const ttsim::impl::Graph& graph : trial.model.netlist.graphs)
            for (const Op& op : graph.ops) {
                const auto found = trial.measured.so_far.find(op.name());
                if (found != trial.measured.so_far.end() && found->second > least_noise_) return op.name();
            }
        return "";
    }

    // --- 2: presets --------------------------------------------------------------------------------------------------

    /// Mixed precision presets set formats that no level sets (of sums, of norms alone). A faster preset that reaches
    /// the target is used unless step 4 finds a better result.
    void try_presets() {
        for (const FormatPreset& preset : format_presets(options_.default_df, target_.any_family)) {
            if (!best_ || trials_left() < 1) return;
            keep_if_better(attempt({}, preset.rules, preset.default_df, preset.name, true));
        }
    }

    // --- 3: what ops do to the outputs -------------------------------------------------------------------------------

    /// Stretches of ops, in order, with about as much noise each.
    std::vector<std::size_t> segments(const std::vector<double>& noise) const {
        double all = 0, so_far = 0;
        for (const double n : noise) all += n;
        std::vector<std::size_t> number;
        for (const double n : noise) {
            const auto k = static_cast<std::size_t>(so_far / std::max(all, 1e-300) * max_segments);
            number.push_back(std::min(k, max_segments - 1));
            so_far += n;
        }
        return number;
    }

    void weigh_segments() {
        const std::size_t faster = best_level_ + 1;
        const std::vector<OpSetting> base = settings_at(best_level_), other = settings_at(faster);
        std::vector<double> more;
        for (std::size_t u = 0; u < units_.size(); ++u)
            more.push_back(std::max(0.0, table_->of(u, other[u])->noise - table_->of(u, base[u])->noise));
        const std::vector<std::size_t> segment = segments(more);
        const std::set<std::size_t> all(segment.begin(), segment.end());
        std::map<std::size_t, double> weight;
        double least = std::numeric_limits<double>::infinity();
        for (const std::size_t s : all) {
            if (trials_left() < 2) break;
            std::vector<OpSetting> settings = base;
            double local = 0;
            std::size_t first = units_.size(), last = 0;
            for (std::size_t u = 0; u < units_.size(); ++u) {
                if (segment[u] != s) continue;
                settings[u] = other[u];
                local += more[u];
                first = std::min(first, u);
                last = u;
            }
            if (local <= 0) continue;
            Trial trial =
                attempt(std::move(settings), fmt::format("faster from {} to {}", units_[first].op, units_[last].op));
            weight[s] = (trial.noise() - passing_noise_) / local;
            if (weight[s] > 0) least = std::min(least, weight[s]);
            keep_if_better(std::move(trial));
        }
        if (std::isinf(least)) least = 1;
        for (std::size_t u = 0; u < units_.size(); ++u) {
            const auto found = weight.find(segment[u]);
            weights_[u] = found == weight.end() || found->second <= 0 ? least : found->second;
        }
    }

    // --- 4: the cheapest settings
    // ----------------------------------------------------------------------------------------

    void refine() {
        const double at_base = noise_of(*table_, weights_, settings_at(best_level_));
        double scale = 1, margin = 0.97;
        std::vector<std::vector<OpSetting>> tried;
        while (trials_left() > 0) {
            const double allowed = at_base + (margin * least_noise_ - passing_noise_) / scale;
            std::vector<OpSetting> settings = cheapest(units_, *table_, weights_, allowed);
            if (std::find(tried.begin(), tried.end(), settings) != tried.end()) break;
            tried.push_back(settings);
            const double more = noise_of(*table_, weights_, settings) - at_base;
            Trial trial = attempt(std::move(settings), "the cheapest ops together");
            const double noise = trial.noise();
            const bool reached = trial.pcc >= target_.pcc;
            keep_if_better(std::move(trial));
            if (reached && noise >= close_enough * least_noise_) return try_others(at_base, allowed, tried);
            if (more > 0 && noise > passing_noise_)
                scale = std::clamp((noise - passing_noise_) / more, scale / 4, scale * 4);
            else if (!reached)
                margin *= 0.8;
            else
                break;
        }
    }

    /// Tries settings between the fastest level, if it reaches the target, and the most accurate measured level.
    void mix_levels() {
        std::vector<std::vector<OpSetting>> tried;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t level = 0; level < levels.size(); ++level) {
            if (!table_->has(level)) continue;
            tried.push_back(settings_at(level));
            least = std::min(least, noise_of(*table_, weights_, tried.back()));
        }
        try_others(least, noise_of(*table_, weights_, settings_at(best_level_)), tried);
    }

    /// Cycles also depend on how ops share the cores, so more accurate settings may be faster.
    void try_others(double at_base, double allowed, std::vector<std::vector<OpSetting>>& tried) {
        for (const double part : {0.75, 0.5, 0.25}) {
            if (trials_left() < 1) return;
            std::vector<OpSetting> settings = cheapest(units_, *table_, weights_, at_base + part * (allowed - at_base));
            if (std::find(tried.begin(), tried.end(), settings) != tried.end()) continue;
            tried.push_back(settings);
            keep_if_better(attempt(std::move(settings), "the cheapest ops that lose less"));
        }
    }

    // --- what is said of it ------------------------------------------------------------------------------------------

    /// Recompiles the best trials with the requested effort, since the search uses quick schedules. Other schedules may
    /// lower the model differently and lose more, so they are measured again.
    void reschedule(Trial& trial) {
        if (!requested_.simulate || requested_.effort == 0) return;
        constexpr std::size_t most = 3;
        constexpr double near = 1.1;  // relative to the fastest
        std::stable_sort(quick_.begin(), quick_.end(), [](const Quick& a, const Quick& b) {
            return std::pair(a.cycles, -a.pcc) < std::pair(b.cycles, -b.pcc);
        });
        if (quick_.empty()) quick_.push_back({0, trial.pcc, trial.settings, trial.rules, trial.default_df});
        trial.model = {};  // large models: no more than two at a time
        std::optional<Trial> best;
        for (std::size_t k = 0; k < std::min(most, quick_.size()); ++k) {
            Quick& quick = quick_[k];
            if (quick.cycles > near * quick_.front().cycles) break;
            report_progress("schedules");
            CompileOptions last = with(quick.rules, quick.default_df);
            last.schedule.policy = requested_.schedule.policy;
            last.effort = requested_.effort;
            last.simulate = requested_.simulate;
            Trial made{compile(model_, last), quick.settings, quick.rules, quick.default_df, 0, 0, {}};
            if (!measure(made, made.settings.empty()).empty() || made.pcc < std::min(target_.pcc, quick.pcc)) continue;
            made.cycles = cycles_of(made.model);
            if (!best || made.cycles < best->cycles) best = std::move(made);
        }
        if (best)
            trial = std::move(*best);
        else
            trial.model = compile(model_, with(trial.rules, trial.default_df));
    }
    double cycles_of(const CompiledModel& model) const {
        return target_.cycles ? target_.cycles(model) : model.report.estimated_cycles;
    }

    CompiledModel finished(Trial trial) {
        reschedule(trial);
        FormatSearch found;
        found.target = target_.pcc;
        found.pcc = trial.pcc;
        found.samples = samples_;
        found.trials = trials_;
        found.steps = std::move(steps_);
        found.rules = {trial.rules, trial.default_df};
        if (!found.reached()) found.first_below = first_below_;
        for (std::size_t u = 0; u < units_.size(); ++u)
            found.ops.push_back(trial.settings.empty() ? as_preset(u, trial)
                                                       : as_chosen(u, trial.settings[u], trial.model));
        double all = 0;
        for (const OpFormat& format : found.ops) all += format.share;
        for (OpFormat& format : found.ops) format.share = all > 0 ? format.share / all : 0;
        trial.model.report.core_cycles.clear();
        trial.model.report.formats = std::move(found);
        return std::move(trial.model);
    }
    /// The share is not normalized yet.
    OpFormat as_chosen(std::size_t u, OpSetting setting, const CompiledModel& model) const {
        const FormatUnit& unit = units_[u];
        OpFormat format{unit.op, unit.type, unit.output(setting), std::nullopt, std::nullopt, 0, 0, 0};
        if (unit.multiplies_constants()) format.weights = unit.weights(setting);
        if (const Op* op = model.netlist.find_op(unit.op)) format.fidelity = op->cfg.fidelity;
        format.share = weights_[u] * cost(u, setting).noise;
        format.cycles = cost(u, setting).cycles;
        format.most_cycles = most_cycles(u, format.cycles);
        return format;
    }
    /// The same for a preset, by its measurement.
    OpFormat as_preset(std::size_t u, const Trial& trial) const {
        const FormatUnit& unit = units_[u];
        OpFormat format{unit.op, unit.type, unit.wide, std::nullopt, std::nullopt, 0, 0, 0};
        const Op* op = trial.model.netlist.find_op(unit.op);
        if (op) {
            format.output = op->cfg.out_df;
            format.fidelity = op->cfg.fidelity;
        }
        const SettingCost known = measured_cost(unit, trial);
        format.share = weights_[u] * known.noise;
        format.cycles = known.cycles;
        format.most_cycles = most_cycles(u, format.cycles);
        for (const FormatUnit::Member& member : unit.members)
            for (const std::size_t k : member.constants)
                if (op && member.name == unit.op && k < op->cfg.in_df.size()) format.weights = op->cfg.in_df[k];
        return format;
    }
    double most_cycles(std::size_t u, double most) const {
        for (std::size_t level = 0; level < levels.size(); ++level)
            if (table_->has(level)) most = std::max(most, cost(u, units_[u].at(levels.at(level))).cycles);
        return most;
    }
    SettingCost cost(std::size_t unit, OpSetting setting) const {
        return table_->of(unit, setting).value_or(SettingCost{});
    }

    const Graph& model_;
    const CompileOptions& requested_;
    CompileOptions options_;
    TargetPcc target_;
    double least_noise_ = 0;
    Graph wide_;
    std::map<std::string, const Node*> nodes_;
    std::vector<FormatUnit> units_;
    std::vector<double> weights_;  ///< noise of outputs per noise of the op
    std::optional<CostTable> table_;
    Values samples_given_, inputs_, reference_;
    std::int64_t trials_ = 0, samples_ = 1;
    std::optional<std::size_t> passing_;
    std::size_t best_level_ = 0;
    double passing_noise_ = 0;
    std::string first_below_;
    std::optional<Trial> best_, most_accurate_;
    /// Trials that reach the target, without models.
    struct Quick {
        double cycles = 0, pcc = 0;
        std::vector<OpSetting> settings;
        std::vector<FormatRule> rules;
        DataFormat default_df = DataFormat::Float16_b;
    };
    std::vector<Quick> quick_;
    std::vector<std::string> steps_;
};

}  // namespace

CompiledModel compile_to_target(const Graph& model, const CompileOptions& options) {
    TT_CHECK(options.target && options.target->measure, "there is no simulator to measure with");
    CompiledModel found = FormatSearcher(model, options).run();
    FormatSearch& first = *found.report.formats;
    const bool asked = !options.target->any_family || info(options.default_df).family == FormatFamily::A;
    if (first.reached() || asked || first.trials >= options.target->trials) return found;
    // formats of 5 exponent bits have three more of the mantissa
    CompileOptions finer = options;
    finer.default_df = DataFormat::Float16;
    finer.target->trials -= first.trials;
    CompiledModel other = FormatSearcher(model, finer).run();
    FormatSearch& second = *other.report.formats;
    const std::int64_t trials = first.trials + second.trials;
    std::vector<std::string> steps = std::move(first.steps);
    steps.insert(steps.end(), second.steps.begin(), second.steps.end());
    CompiledModel& better = second.pcc > first.pcc ? other : found;
    better.report.formats->trials = trials;
    better.report.formats->steps = std::move(steps);
    return std::move(better);
}

}  // namespace ttsim::impl::ir
