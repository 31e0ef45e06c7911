#include "compiler/formats/format_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ttsim::impl::ir {

namespace {

DataFormat of_bits(int bits, DataFormat like) {
    const bool a = info(like).family == FormatFamily::A;
    if (bits == 16) return a ? DataFormat::Float16 : DataFormat::Float16_b;
    if (bits == 8) return a ? DataFormat::Bfp8 : DataFormat::Bfp8_b;
    return a ? DataFormat::Bfp4 : DataFormat::Bfp4_b;
}

bool is_product(const Node& node) { return node.op == op::buda::matmul || node.op == op::buda::depthwise; }

/// The nodes behind each node, once for each operand.
std::vector<std::vector<ValueId>> readers_of(const Graph& graph) {
    std::vector<std::vector<ValueId>> readers(graph.nodes.size());
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        for (const Edge& edge : graph.nodes[id].inputs) readers[edge.value].push_back(id);
    return readers;
}

/// Escapes a name for a regular expression.
std::string escaped(const std::string& name) {
    std::string text;
    for (const char c : name) {
        if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) text += '\\';
        text += c;
    }
    return text;
}

/// Constant operands of a product.
std::vector<std::size_t> constants_of(const Graph& graph, const Node& node) {
    std::vector<std::size_t> constants;
    for (std::size_t k = 0; k < 2 && is_product(node); ++k)
        if (graph.nodes[node.inputs[k].value].is_constant()) constants.push_back(k);
    return constants;
}

}  // namespace

bool FormatUnit::multiplies_constants() const {
    return std::any_of(members.begin(), members.end(), [](const Member& m) { return !m.constants.empty(); });
}

DataFormat FormatUnit::weights(OpSetting setting) const {
    return of_bits(multiply_modes.at(setting.multiply).weight_bits, wide);
}

Fidelity FormatUnit::fidelity(OpSetting setting) const {
    const Fidelity wanted = multiply_modes.at(setting.multiply).fidelity;
    const bool product = std::any_of(members.begin(), members.end(), [](const Member& m) { return m.product; });
    // With two phases elementwise products lose a digit of the second operand, so gates and norms would shrink values.
    return !product && wanted != Fidelity::HiFi4 ? Fidelity::HiFi3 : wanted;
}

std::vector<FormatUnit> format_units(const Graph& wide, const Graph& narrow, const Graph& last) {
    std::map<std::string, DataFormat> narrow_formats;
    for (const Node& node : narrow.nodes)
        if (node.op.on_device() && node.type.format) narrow_formats.emplace(node.name, *node.type.format);
    std::map<std::string, const Node*> last_nodes;
    for (const Node& node : last.nodes)
        if (node.op.on_device()) last_nodes.emplace(node.name, &node);
    const auto readers = readers_of(wide);
    std::map<std::string, std::size_t> unit_of;
    std::vector<FormatUnit> units;
    for (ValueId id = 0; id < wide.nodes.size(); ++id) {
        const Node& node = wide.nodes[id];
        if (!node.op.on_device() || !node.type.format) continue;
        ValueId end = id;  // the op that it is fused into
        while (!last_nodes.contains(wide.nodes[end].name) && readers[end].size() == 1) end = readers[end].front();
        const auto found = last_nodes.find(wide.nodes[end].name);
        if (found == last_nodes.end()) continue;
        const auto [known, first] = unit_of.try_emplace(found->first, units.size());
        if (first)
            units.push_back(
                {found->first, std::string(found->second->op.base_name()), {}, *wide.nodes[end].type.format, {}});
        FormatUnit& unit = units[known->second];
        unit.members.push_back(
            {node.name, std::string(node.op.base_name()), is_product(node), constants_of(wide, node)});
        if (node.name != unit.op) continue;
        const auto other = narrow_formats.find(node.name);
        unit.narrow = other != narrow_formats.end() && is_block_float(other->second) ? other->second : unit.wide;
    }
    std::erase_if(units, [](const FormatUnit& unit) {
        return unit.wide != DataFormat::Float16 && unit.wide != DataFormat::Float16_b;
    });
    return units;
}

std::vector<FormatPreset> format_presets(DataFormat default_df, bool any_family) {
    std::vector<FormatPreset> presets{{"automatic mixed precision", amp_rules(1, default_df), default_df}};
    if (any_family) presets.push_back({"automatic mixed precision 2", amp_rules(2, {}), DataFormat::Float16});
    for (const int level : {1, 2, 3}) {
        std::vector<FormatRule> rules = light_amp_rules(level);
        for (FormatRule& rule : rules)
            for (auto& [k, input] : rule.inputs) input = {.df = in_family_of(input.df, default_df)};
        presets.push_back({fmt::format("light mixed precision {}", level), std::move(rules), default_df});
    }
    return presets;
}

std::vector<FormatRule> rules_of(const std::vector<FormatUnit>& units, const std::vector<OpSetting>& settings) {
    std::vector<FormatRule> rules;
    for (std::size_t u = 0; u < units.size(); ++u)
        for (const FormatUnit::Member& member : units[u].members) {
            FormatRule rule;
            rule.op_type = member.type;
            rule.name_regex = escaped(member.name);
            rule.output_df = units[u].output(settings[u]);
            rule.fidelity = units[u].fidelity(settings[u]);
            if (member.product && rule.fidelity == Fidelity::LoFi) rule.accumulate_df = units[u].wide;
            for (const std::size_t k : member.constants) rule.inputs[k] = {.df = units[u].weights(settings[u])};
            rules.push_back(std::move(rule));
        }
    return rules;
}

std::string rules_text(const FormatRules& rules) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array(), text;
    for (const FormatRule& rule : rules.rules) {
        nlohmann::ordered_json item;
        if (!rule.op_type.empty()) item["op_type"] = rule.op_type;
        if (!rule.within.empty()) item["within"] = rule.within;
        if (!rule.outside.empty()) item["outside"] = rule.outside;
        if (!rule.name_regex.empty()) item["name_regex"] = rule.name_regex;
        if (rule.output_df) item["output_df"] = to_string(*rule.output_df);
        if (rule.intermediate_df) item["intermediate_df"] = to_string(*rule.intermediate_df);
        if (rule.accumulate_df) item["accumulate_df"] = to_string(*rule.accumulate_df);
        if (rule.fidelity) item["math_fidelity"] = to_string(*rule.fidelity);
        for (const auto& [k, input] : rule.inputs) {
            nlohmann::ordered_json& df = item["input_df"][std::to_string(k)];
            if (input.activations)
                df = {to_string(input.df), true};
            else
                df = to_string(input.df);
        }
        list.push_back(std::move(item));
    }
    if (rules.default_df) text["default_df"] = to_string(*rules.default_df);
    text["rules"] = std::move(list);
    return text.dump(1) + "\n";
}

}  // namespace ttsim::impl::ir
