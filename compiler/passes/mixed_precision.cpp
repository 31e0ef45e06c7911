// mixed-precision: sets formats and fidelities of ops by rules (--amp, --amp-light, --format-rules); later rules
// override earlier ones.
//
//   rule {op_type: matmul, output_df: Bfp8_b, math_fidelity: HiFi2, input_df: {1: Bfp8_b}}
//   %y = buda.matmul %x, %w : Float16_b[..]   ->   %y = buda.matmul %x, %w {fidelity = "HiFi2"} : Bfp8_b[..]
//                                                  with %w : Bfp8_b[..]
//
// A rule without op_type also sets the output_df of inputs and constants whose name matches, such as weights and masks.
// Other inputs and constants get the format of the first op with a rule for that operand. A nop converts a computed
// operand that has other readers, and operands of maxima over slices in a format other than the result's. For ops of
// Int8 and Int32 see integer_formats.cpp.
#include <set>

#include "base/name_pattern.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/passes/integer_formats.hpp"

namespace ttsim::impl::ir {

namespace {

/// The formats of one op, merged from all matching rules.
struct OpFormats {
    std::optional<DataFormat> output, intermediate, accumulate;
    std::optional<Fidelity> fidelity;
    std::map<std::size_t, FormatRule::Input> inputs;

    void merge(const FormatRule& rule) {
        if (rule.output_df) output = rule.output_df;
        if (rule.intermediate_df) intermediate = rule.intermediate_df;
        if (rule.accumulate_df) accumulate = rule.accumulate_df;
        if (rule.fidelity) fidelity = rule.fidelity;
        for (const auto& [k, input] : rule.inputs) inputs[k] = input;
    }
};

class RuleApplier {
public:
    RuleApplier(Graph& graph, const std::vector<FormatRule>& rules) : graph_(graph), rules_(rules) {
        for (const FormatRule& rule : rules) {
            patterns_.emplace_back(rule.name_regex, rule.loc);
            has_integer_rules_ = has_integer_rules_ || (rule.output_df && is_integer(*rule.output_df));
            for (const auto& [k, input] : rule.inputs) has_integer_rules_ = has_integer_rules_ || is_integer(input.df);
            has_integer_rules_ = has_integer_rules_ || (rule.accumulate_df && is_integer(*rule.accumulate_df)) ||
                                 (rule.intermediate_df && is_integer(*rule.intermediate_df));
        }
    }

    void run() {
        std::vector<OpFormats> formats(graph_.nodes.size());
        for (const Output& output : graph_.outputs)
            if (output.name.starts_with(gradient_prefix)) gradients_.insert(output.value);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            for (std::size_t r = 0; r < rules_.size(); ++r)
                if (fits(r, graph_.nodes[id]) &&
                    rules_[r].gradient.value_or(gradients_.contains(id)) == gradients_.contains(id))
                    formats[id].merge(rules_[r]);
            apply(graph_.nodes[id], formats[id]);
        }
        std::vector<bool> set(graph_.nodes.size(), false);
        for (const Node& node : graph_.nodes)
            if (quantizes(node)) set[node.inputs[1].value] = true;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) set[id] = set[id] || apply_by_name(graph_.nodes[id]);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            for (const auto& [k, input] : formats[id].inputs)
                if (k < graph_.nodes[id].inputs.size()) set_operand_format(id, k, input, set);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) unify_reduction(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].op == op::buda::quantization &&
                graph_.type(graph_.nodes[id].inputs[0].value).format != DataFormat::Float32)
                conversions_[{id, 0}] = DataFormat::Float32;
        convert();
        if (has_integer_rules_) lower_integer_ops(graph_);
    }

private:
    /// Ops whose formats are fixed.
    static bool quantizes(const Node& node) {
        return node.op == op::buda::quantization || node.op == op::buda::dequantization;
    }

    bool fits(std::size_t r, const Node& node) const {
        if (!node.op.on_device() || quantizes(node)) return false;
        const std::string& type = rules_[r].op_type;
        return (!rules_[r].phase || rules_[r].phase == node.phase) &&
               (type.empty() || node.op.base_name() == type || node.kind == type) &&
               (rules_[r].within.empty() || node.kind == rules_[r].within) &&
               (rules_[r].outside.empty() || node.kind != rules_[r].outside) &&
               (rules_[r].name_regex.empty() || patterns_[r].matches(node.name));
    }

    /// Applies rules to an input or a constant by its name; the last match wins. Returns whether one matched. Int8 is
    /// not changed to Int32, which holds the same elements, since products need Int8.
    bool apply_by_name(Node& node) const {
        if ((!node.is_input() && !node.is_constant()) || !node.type.format) return false;
        bool found = false;
        for (std::size_t r = 0; r < rules_.size(); ++r) {
            const FormatRule& rule = rules_[r];
            if (!rule.output_df || !rule.op_type.empty() || rule.name_regex.empty() || rule.gradient) continue;
            if (rule.phase && rule.phase != node.phase) continue;
            if (!patterns_[r].matches(node.name)) continue;
            const bool same_elements = node.type.format == DataFormat::Int8 && rule.output_df == DataFormat::Int32;
            if (!same_elements) node.type.format = rule.output_df;
            found = true;
        }
        return found;
    }

    void apply(Node& node, const OpFormats& formats) const {
        if (has_integer_rules_ && formats.output && !is_integer(*formats.output)) node.set(attr::float_result, true);
        const auto name = [](DataFormat df) { return std::string(to_string(df)); };
        if (formats.output) node.type.format = *formats.output;
        if (formats.intermediate) node.set(attr::intermed_df, name(*formats.intermediate));
        if (formats.accumulate) node.set(attr::acc_df, name(*formats.accumulate));
        if (formats.fidelity) node.set(attr::fidelity, std::string(to_string(*formats.fidelity)));
    }

    void set_operand_format(ValueId id, std::size_t k, const FormatRule::Input& input, std::vector<bool>& set) {
        const ValueId from = graph_.nodes[id].inputs[k].value;
        Node& operand = graph_.nodes[from];
        if (!operand.type.format) return;  // a table of the model level
        const DataFormat df = input.keep_family ? in_family_of(input.df, *operand.type.format) : input.df;
        if (operand.is_constant() || operand.is_input()) {
            if (!set[from]) operand.type.format = df;
            set[from] = true;
        } else if (input.activations && *operand.type.format != df) {
            conversions_[{id, k}] = df;
        }
    }

    /// Maxima over slices use one format for operand, intermediate and result.
    void unify_reduction(ValueId id) {
        Node& node = graph_.nodes[id];
        if (node.op != op::buda::reduce || node.get(attr::dim) != "z" || !node.type.format) return;
        node.erase(attr::intermed_df);
        if (graph_.type(node.inputs[0].value).format != node.type.format) conversions_[{id, 0}] = *node.type.format;
    }

    /// Inserts the conversion nops.
    void convert() {
        if (conversions_.empty()) return;
        Graph result = graph_.next();
        Builder build(result);
        std::vector<ValueId> moved;
        std::map<std::pair<ValueId, DataFormat>, ValueId> made;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            std::vector<Edge> inputs = node.inputs;
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                const ValueId from = inputs[k].value;
                inputs[k].value = moved[from];
                const auto conversion = conversions_.find({id, k});
                if (conversion == conversions_.end()) continue;
                build.set_origin(node.origin);
                build.set_phase(node.phase);
                build.set_kind(node.kind);
                const auto [nop, first] = made.try_emplace({from, conversion->second}, 0);
                if (first) nop->second = build.add_edges(op::buda::nop, {{moved[from], {}}}, {}, conversion->second);
                inputs[k].value = nop->second;
            }
            moved.push_back(build.copy(node, std::move(inputs)));
        }
        for (const Output& out : graph_.outputs) result.outputs.push_back({out.name, moved[out.value], out.type});
        graph_ = std::move(result);
    }

    Graph& graph_;
    const std::vector<FormatRule>& rules_;
    std::vector<NamePattern> patterns_;
    std::set<ValueId> gradients_;  // of parameters, before they are summed
    bool has_integer_rules_ = false;
    std::map<std::pair<ValueId, std::size_t>, DataFormat> conversions_;
};

void run_mixed_precision(Graph& graph, const PassOptions& options) {
    if (!options.rules.empty()) RuleApplier(graph, options.rules).run();
}

}  // namespace

extern const Pass mixed_precision;
const Pass mixed_precision{
    .name = "mixed-precision", .summary = "set formats and fidelities of ops by rules", .run = run_mixed_precision};

}  // namespace ttsim::impl::ir
