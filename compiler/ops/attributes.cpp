// Checks and defaults of attributes, by the declarations of ops.toml and the records in kernels/ops/.
#include <algorithm>

#include "base/text.hpp"
#include "compiler/ops/device.hpp"
#include "generated/op_declarations.hpp"

namespace ttsim::impl::ir {

namespace {

const AttributeSpec* find_spec(std::span<const AttributeSpec> specs, std::string_view key) {
    const auto found = std::find_if(specs.begin(), specs.end(), [&](const AttributeSpec& s) { return s.key == key; });
    return found == specs.end() ? nullptr : &*found;
}

/// The record in kernels/ops/ with further attributes of an op: its own, or that of the device op it lowers to.
const OpDef* record_of(const OpInfo& op) { return op.level == Level::Device ? op.device : device_def(op.counterpart); }

const AttrDef* find_def(const OpDef& def, std::string_view key) {
    const auto found =
        std::find_if(def.attributes.begin(), def.attributes.end(), [&](const AttrDef& a) { return a.name == key; });
    return found == def.attributes.end() ? nullptr : &*found;
}

bool may_have(OpId op, const AttributeSpec& common) {
    if (op == op::input) return common.on_input;
    return op.on_device() ? common.on_device : common.on_model;
}

/// The declaration of a key: of the op, else of the common attributes.
const AttributeSpec* spec_of(OpId op, std::string_view key) {
    if (const OpInfo* info = find_op(op))
        if (const AttributeSpec* own = find_spec(info->attributes, key)) return own;
    const AttributeSpec* common = find_spec(common_specs, key);
    return common && may_have(op, *common) ? common : nullptr;
}

/// For defaults only: of a key that the record defines, as far as compiler code reads it.
const AttributeSpec* spec_with_default(OpId op, std::string_view key) {
    const AttributeSpec* spec = spec_of(op, key);
    return spec ? spec : find_spec(record_specs, key);
}

std::string_view kind_name(AttributeKind kind) {
    constexpr std::string_view names[]{"0 or 1", "an integer", "a number", "a text", "a list of integers"};
    return names[static_cast<std::size_t>(kind)];
}

bool is_of_kind(const Attr& attr, AttributeKind kind) {
    switch (kind) {
        case AttributeKind::Bool:
        case AttributeKind::Integer:
            return std::holds_alternative<std::int64_t>(attr);
        case AttributeKind::Number:
            return std::holds_alternative<std::int64_t>(attr) || std::holds_alternative<double>(attr);
        case AttributeKind::Text:
            return std::holds_alternative<std::string>(attr);
        case AttributeKind::Integers:
            break;
    }
    return std::holds_alternative<std::vector<std::int64_t>>(attr);
}

bool is_choice(std::string_view choices, std::string_view word) {
    while (!choices.empty()) {
        const std::size_t end = std::min(choices.find('|'), choices.size());
        if (choices.substr(0, end) == word) return true;
        choices.remove_prefix(std::min(end + 1, choices.size()));
    }
    return false;
}

/// "a, b, c" of "a|b|c".
std::string listed(std::string_view choices) {
    std::string text;
    for (const char c : choices) text += c == '|' ? ", " : std::string(1, c);
    return text;
}

void check_value(const Node& node, const AttributeSpec& spec, const Attr& attr) {
    if (!is_of_kind(attr, spec.kind))
        fail_input(node.loc, "'{}' ({}) has {} = {}; {} is wanted", node.name, node.op, spec.key, to_string(attr),
                   kind_name(spec.kind));
    const auto* text = std::get_if<std::string>(&attr);
    if (text && !spec.choices.empty() && !is_choice(spec.choices, *text))
        fail_input(node.loc, "'{}' ({}) has {} '{}'; it must be one of {}", node.name, node.op, spec.key, *text,
                   listed(spec.choices));
    const auto* integer = std::get_if<std::int64_t>(&attr);
    const auto* real = std::get_if<double>(&attr);
    if (!integer && !real) return;
    const double number = integer ? static_cast<double>(*integer) : *real;
    if (number < spec.least || number > spec.most)
        fail_input(node.loc, "'{}' ({}) has {} = {}; it must lie in {}..{}", node.name, node.op, spec.key,
                   to_string(attr), spec.least, spec.most);
}

std::vector<std::string> known_keys(OpId op) {
    std::vector<std::string> keys;
    if (const OpInfo* info = find_op(op)) {
        for (const AttributeSpec& spec : info->attributes) keys.emplace_back(spec.key);
        if (const OpDef* def = record_of(*info))
            for (const AttrDef& attr : def->attributes) keys.emplace_back(attr.name);
    }
    return keys;
}

}  // namespace

void check_attributes(const Node& node) {
    const OpInfo* info = find_op(node.op);
    const OpDef* def = info ? record_of(*info) : nullptr;
    for (const auto& [key, value] : node.attrs) {
        if (const AttributeSpec* spec = spec_of(node.op, key)) {
            check_value(node, *spec, value);
        } else if (const AttrDef* attr = def ? find_def(*def, key) : nullptr) {
            static_cast<void>(record_value(node, *attr, value));
        } else {
            fail_input(node.loc, "'{}' has the attribute {}, which {} does not take{}", node.name, key, node.op,
                       did_you_mean(key, known_keys(node.op)));
        }
    }
    if (!info) return;
    for (const AttributeSpec& spec : info->attributes)
        if (spec.required && !node.attrs.contains(spec.key))
            fail_input(node.loc, "'{}' ({}) needs the attribute {}", node.name, node.op, spec.key);
}

void read_default(OpId op, std::string_view key, bool& into) {
    if (const AttributeSpec* spec = spec_with_default(op, key)) into = spec->integer != 0;
}
void read_default(OpId op, std::string_view key, std::int64_t& into) {
    if (const AttributeSpec* spec = spec_with_default(op, key)) into = spec->integer;
}
void read_default(OpId op, std::string_view key, double& into) {
    if (const AttributeSpec* spec = spec_with_default(op, key)) into = spec->number;
}
void read_default(OpId op, std::string_view key, std::string& into) {
    if (const AttributeSpec* spec = spec_with_default(op, key)) into = spec->text;
}
void read_default(OpId op, std::string_view key, std::vector<std::int64_t>& into) {
    if (const AttributeSpec* spec = spec_with_default(op, key))
        into.assign(spec->integers.begin(), spec->integers.end());
}

}  // namespace ttsim::impl::ir
