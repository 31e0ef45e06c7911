#include "compiler/ir/format_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/name_pattern.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/ir/op_table.hpp"
#include "netlist/device/device.hpp"

namespace ttsim::impl::ir {

bool is_tensor_float(DataFormat df) {
    return !is_integer(df) && !is_raw(df) && df != DataFormat::Tf32 && df != DataFormat::Invalid;
}

DataFormat wide_format(DataFormat df) {
    if (!is_block_float(df)) return df;
    return info(df).family == FormatFamily::A ? DataFormat::Float16 : DataFormat::Float16_b;
}

DataFormat in_family_of(DataFormat target, DataFormat like) {
    if (info(like).family != FormatFamily::A) return target;
    if (target == DataFormat::Bfp8_b) return DataFormat::Bfp8;
    return target == DataFormat::Bfp4_b ? DataFormat::Bfp4 : target;
}

// --- automatic ----------------------------------------------------------------------------------------------------

namespace {

FormatRule everywhere(const std::string& op_type, DataFormat df) {
    FormatRule rule;
    rule.op_type = op_type;
    rule.output_df = rule.intermediate_df = rule.accumulate_df = df;
    return rule;
}

// products that broadcast one element: the rest of the tile is zeros. With a block float, the reciprocals of those
// zeros would take the shared exponent and leave no bits for the element
constexpr const char* broadcast = "broadcast";

std::vector<FormatRule> b_rules() {
    FormatRule product = everywhere("matmul", DataFormat::Bfp8_b);
    product.intermediate_df = product.accumulate_df = DataFormat::Float16_b;  // sums of blocks lose bits in Bfp8_b
    product.fidelity = Fidelity::HiFi2;
    product.inputs = {{1, {.df = DataFormat::Bfp8_b}}, {2, {.df = DataFormat::Bfp8_b}}};
    product.outside = broadcast;
    return {everywhere("softmax", DataFormat::Float16_b), everywhere("layer_norm", DataFormat::Float16_b),
            everywhere("rms_norm", DataFormat::Float16_b), everywhere("group_norm", DataFormat::Float16_b), product};
}

/// A rule for a product and all its operands, including computed ones.
FormatRule product_rule(DataFormat df) {
    FormatRule rule = everywhere("matmul", df);
    for (std::size_t k = 0; k < 3; ++k) rule.inputs[k] = {.df = df, .activations = true};
    return rule;
}

std::vector<FormatRule> a_rules() {
    FormatRule product = product_rule(DataFormat::Bfp8);
    product.intermediate_df = product.accumulate_df = DataFormat::Float16;
    product.outside = broadcast;
    std::vector<FormatRule> rules{product};
    for (const char* composite : {"softmax", "log_softmax", "layer_norm", "rms_norm", "group_norm"}) {
        rules.push_back(product_rule(DataFormat::Float16));
        rules.back().within = composite;
    }
    for (const auto& [type, pattern] :
         {std::pair{"matmul", ".*softmax.*"}, {"matmul", ".*layernorm.*"}, {"multiply", ".*softmax.*"}}) {
        rules.push_back(everywhere(type, DataFormat::Float16));
        rules.back().name_regex = pattern;
    }
    FormatRule gelu;
    gelu.op_type = "gelu";
    gelu.intermediate_df = DataFormat::Bfp8;
    rules.push_back(gelu);
    return rules;
}

}  // namespace

std::vector<FormatRule> amp_rules(int level, std::optional<DataFormat> default_df) {
    if (level == 0) return {};
    bool b = level == 1;
    if (default_df && info(*default_df).family == FormatFamily::A) b = false;
    if (default_df && info(*default_df).family == FormatFamily::B) b = true;
    return b ? b_rules() : a_rules();
}

std::vector<FormatRule> light_amp_rules(int level) {
    if (level == 0) return {};
    FormatRule product;
    product.op_type = "matmul";
    product.fidelity = level == 3 ? Fidelity::LoFi : Fidelity::HiFi2;
    const DataFormat df = level == 1 ? DataFormat::Bfp8_b : DataFormat::Bfp4_b;
    product.inputs = {{1, {.df = df, .keep_family = true}}, {2, {.df = df, .keep_family = true}}};
    return {product};
}

// --- the user's ---------------------------------------------------------------------------------------------------

namespace {

class RulesReader {
public:
    explicit RulesReader(std::string file) : file_(std::move(file)) {}

    FormatRules read(const std::string& text) {
        YamlMap top = YamlMap::from_text(text, file_);
        const std::optional<DataFormat> default_df = format(top, "default_df", false);
        const YamlPtr list = top.node("rules");
        top.done();
        if (!list->is_sequence()) fail_input(list->loc(file_), "'rules' must be a list");
        std::vector<FormatRule> rules;
        for (const YamlPtr& item : list->items) {
            try {
                rules.push_back(rule(item));
            } catch (const Error& error) {
                problems_.add(error);
            }
        }
        problems_.throw_if_any();
        return {std::move(rules), default_df};
    }

private:
    FormatRule rule(YamlPtr item) {
        if (!item->is_map()) fail_input(item->loc(file_), "a rule must be a map of selectors and formats");
        YamlMap map(item, file_, "rule");
        FormatRule rule;
        rule.loc = item->loc(file_);
        static const std::vector<std::string> known{"op_type",       "within",        "outside",   "name_regex",
                                                    "program",       "gradient",      "output_df", "intermediate_df",
                                                    "accumulate_df", "math_fidelity", "input_df"};
        for (const std::string& key : map.keys())
            if (std::find(known.begin(), known.end(), key) == known.end())
                fail_input(map.where(key), "a rule has no '{}'{}", key, did_you_mean(key, known));
        rule.op_type = map.text_or("op_type", "");
        rule.name_regex = map.text_or("name_regex", "");
        read_program(map, rule);
        if (rule.op_type.empty() && rule.name_regex.empty() && !rule.phase && !rule.gradient)
            fail_input(rule.loc, "a rule needs a selector: op_type, name_regex, program or gradient");
        if (!rule.op_type.empty()) check_type(rule.op_type, map.where("op_type"));
        rule.within = composite(map, "within");
        rule.outside = composite(map, "outside");
        if (map.has("name_regex")) static_cast<void>(NamePattern(rule.name_regex, map.where("name_regex")));
        rule.output_df = format(map, "output_df");
        rule.intermediate_df = format(map, "intermediate_df");
        rule.accumulate_df = format(map, "accumulate_df");
        if (map.has("math_fidelity")) {
            const std::string name = map.text("math_fidelity");
            rule.fidelity = parse_fidelity(name);
            if (!rule.fidelity)
                fail_input(map.where("math_fidelity"), "'{}' is not one of LoFi, HiFi2, HiFi3, HiFi4{}", name,
                           did_you_mean(name, {"LoFi", "HiFi2", "HiFi3", "HiFi4"}));
        }
        if (const YamlPtr node = map.node_or_null("input_df")) inputs(*node, rule);
        return rule;
    }

    void read_program(YamlMap& map, FormatRule& rule) const {
        if (map.has("gradient")) rule.gradient = yaml_flag(*map.node("gradient"), file_, "gradient");
        if (!map.has("program")) return;
        const std::string name = map.text("program");
        std::vector<std::string> known;
        for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Optimizer}) {
            known.emplace_back(to_string(phase));
            if (name == known.back()) rule.phase = phase;
        }
        if (!rule.phase)
            fail_input(map.where("program"), "'{}' is not one of {}{}", name, fmt::join(known, ", "),
                       did_you_mean(name, known));
    }
    static void check_type(const std::string& type, const SourceLoc& loc, bool allow_device_ops = true) {
        std::vector<std::string> known;
        for (const OpInfo* op : all_ops()) {
            if (op->level == Level::Device && allow_device_ops) known.emplace_back(op->id.base_name());
            if (op->level == Level::Composite) known.emplace_back(op->name);
        }
        if (std::find(known.begin(), known.end(), type) == known.end())
            fail_input(loc, "no op is called '{}'{}", type, did_you_mean(type, known));
    }
    static std::string composite(YamlMap& map, const char* key) {
        std::string name = map.text_or(key, "");
        if (!name.empty() && name != broadcast) check_type(name, map.where(key), false);
        return name;
    }
    static DataFormat parsed(std::string_view name, const SourceLoc& loc, bool allow_integers = true) {
        const auto df = parse_format(name);
        const bool integer = allow_integers && (df == DataFormat::Int8 || df == DataFormat::Int32);
        if (!integer && !(df && is_tensor_float(*df))) {
            std::vector<std::string> known{"Float32", "Float16", "Float16_b", "Bfp8",  "Bfp8_b",
                                           "Bfp4",    "Bfp4_b",  "Bfp2",      "Bfp2_b"};
            if (allow_integers) known.insert(known.end(), {"Int8", "Int32"});
            fail_input(loc, "'{}' is not a format that {}{}", name,
                       allow_integers ? "ops compute in" : "is a default: those are of floats",
                       did_you_mean(name, known));
        }
        return *df;
    }
    static std::optional<DataFormat> format(YamlMap& map, const char* key, bool allow_integers = true) {
        if (!map.has(key)) return std::nullopt;
        return parsed(map.text(key), map.where(key), allow_integers);
    }

    void inputs(const YamlNode& node, FormatRule& rule) {
        if (node.is_scalar()) {
            for (std::size_t k = 0; k < 3; ++k)
                rule.inputs[k] = {.df = parsed(node.scalar, node.loc(file_)), .activations = true};
            return;
        }
        if (!node.is_map()) fail_input(node.loc(file_), "'input_df' must be a format, or a map from operand to format");
        for (const auto& [key, value] : node.entries) {
            const auto k = static_cast<std::size_t>(yaml_integer(*key, file_, "the number of an operand", {0, 2}));
            if (value->is_scalar()) {
                rule.inputs[k] = {.df = parsed(value->scalar, value->loc(file_))};
                continue;
            }
            if (!value->is_sequence() || value->items.size() != 2 || !value->items[0]->is_scalar())
                fail_input(value->loc(file_), "expected a format, or [format, whether activations too]");
            rule.inputs[k] = {parsed(value->items[0]->scalar, value->items[0]->loc(file_)),
                              yaml_flag(*value->items[1], file_, "whether activations too"), false};
        }
    }

    std::string file_;
    Diagnostics problems_;
};

}  // namespace

FormatRules read_format_rules(const std::string& file) {
    constexpr std::uint64_t most = std::uint64_t{1} << 24;
    return parse_format_rules(read_file(file, most), file);
}
FormatRules parse_format_rules(const std::string& text, const std::string& file) {
    return RulesReader(file).read(text);
}

// --- what a chip can do -------------------------------------------------------------------------------------------

void check_formats(const Graph& graph, const ChipParams& chip) {
    Diagnostics problems;
    for (const Node& node : graph.nodes) {
        if (!node.op.on_device()) continue;
        const auto acc = parse_format(node.get(attr::acc_df));
        if (acc == DataFormat::Float32 && !chip.features.fp32_dest)
            problems.error(node.loc, "'{}' accumulates in Float32; Dst of {} has 16-bit formats only", node.name,
                           chip.name);
        if (acc && is_block_float(*acc))
            problems.error(node.loc, "'{}' accumulates in {}; Dst has Float32 and 16-bit formats only", node.name,
                           to_string(*acc));
        if (acc == DataFormat::Float32 && node.op == op::buda::reduce &&
            info(graph.type(node.inputs[0].value).format.value_or(DataFormat::Float32)).family == FormatFamily::A)
            problems.error(node.loc, "'{}' accumulates in Float32; maxima of {} accumulate in Float16", node.name,
                           to_string(*graph.type(node.inputs[0].value).format));
        if (node.type.format && is_integer(*node.type.format) && !chip.features.fp32_dest)
            problems.error(node.loc,
                           "'{}' is {}; {} computes with floats alone; chips with fp32_dest compute with integers",
                           node.name, to_string(*node.type.format), chip.name);
        bool a = false, b = false;
        for (const Edge& edge : node.inputs) {
            const Type& type = graph.type(edge.value);
            if (!type.format) continue;  // a table
            a = a || info(*type.format).family == FormatFamily::A;
            b = b || info(*type.format).family == FormatFamily::B;
        }
        if (a && b)
            problems.error(node.loc,
                           "'{}' has operands of both exponent families; all must be A ('Bfp8') or B ('Bfp8_b')",
                           node.name);
    }
    problems.throw_if_any();
}

}  // namespace ttsim::impl::ir
