// Reads attributes of ops and sub-ops by the definitions of the op table.
#include <charconv>

#include "netlist/text/read_parts.hpp"

namespace ttsim::impl::reading {

namespace {

struct AttrReading {
    Context& ctx;
    const AttrDef& def;
    const YamlNode& node;
    std::string_view name;
    OpAttributes& attr;

    std::int64_t number() const { return integer(ctx, node, name, {def.low, def.high}); }
    double real() const {
        const double value = yaml_number(node, ctx.file, name);
        if (value < static_cast<double>(def.low) || value > static_cast<double>(def.high))
            fail_input(ctx.at(node), "'{}' is {}; it must lie in {}..{}", name, node.scalar, def.low, def.high);
        return value;
    }
    std::string string_value() const {
        return def.words.empty() ? text(ctx, node, name) : choice(ctx, node, name, attribute_words(def));
    }
    std::vector<std::int64_t> list() const {
        std::vector<std::int64_t> read = integer_list(ctx, node, name, {def.low, def.high});
        if (def.entries != 0 && read.size() != def.entries)
            fail_input(ctx.at(node), "'{}' has {} numbers; {} are wanted: {}", name, read.size(), def.entries,
                       def.meaning);
        return read;
    }

    static constexpr std::int64_t max_int = (std::int64_t{1} << 31) - 1;
};

/// {input_0: tiles}: at most one entry per input, over all kinds and repeats of the key.
void read_broadcast(const AttrReading& a) {
    if (!a.ctx.is_map(a.node, "'" + std::string(a.name) + "'")) return;
    for (const auto& [key, value] : a.node.entries) {
        constexpr std::string_view prefix = "input_";
        const std::string_view name = key->scalar;
        const char* const last = name.data() + name.size();
        int input = -1;
        bool good = name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] != '-';
        if (good) {
            const auto [end, code] = std::from_chars(name.data() + prefix.size(), last, input);
            good = code == std::errc() && end == last && input < max_inputs;
        }
        if (!good)
            fail_input(a.ctx.at(*key), "'{}' of '{}' must be input_0, input_1, ... up to input_{}", name, a.name,
                       max_inputs - 1);
        if (a.attr.kernel_broadcast.contains(input) || a.attr.kernel_broadcast_per_t.contains(input))
            fail_input(a.ctx.at(*key), "input {} has a kernel broadcast already", input);
        auto tiles = std::get<std::map<int, std::int64_t>>(attribute(a.attr, a.def));
        tiles[input] = integer(a.ctx, *value, name, {1, AttrReading::max_int});
        set_attribute(a.attr, a.def, std::move(tiles));
    }
}

void read_single_tile(const AttrReading& a) {
    for (const std::int64_t input : integer_list(a.ctx, a.node, a.name, {0, max_inputs - 1})) {
        if (!a.attr.kernel_broadcast.emplace(static_cast<int>(input), 1).second)
            fail_input(a.ctx.at(a.node), "input {} has a kernel broadcast already", input);
    }
}

/// Reads the value by the attribute's kind.
void read_attribute(const AttrReading& a) {
    if (a.name == "single_tile") return read_single_tile(a);
    const auto set = [&](AttrValue value) { set_attribute(a.attr, a.def, std::move(value)); };
    switch (a.def.kind) {
        case AttrKind::Bool:
            return set(yaml_flag(a.node, a.ctx.file, a.name));
        case AttrKind::Integer:
            return set(a.number());
        case AttrKind::Number:
            return set(a.real());
        case AttrKind::Word:
            return set(a.string_value());
        case AttrKind::List:
            return set(a.list());
        case AttrKind::Map:
            return read_broadcast(a);
    }
}

const AttrDef* find_attribute(std::span<const AttrDef> list, std::string_view name) {
    for (const AttrDef& def : list)
        if (def.name == name) return &def;
    return nullptr;
}

/// Whether any op has an attribute of that name.
bool is_known_attribute(std::string_view name) {
    const auto ops = all_ops();
    return std::any_of(ops.begin(), ops.end(), [&](const OpDef* op) { return find_attribute(op->attributes, name); });
}

}  // namespace

void read_attributes(Context& ctx, const YamlNode& node, const OpDef& def, const std::string& what, OpAttributes& into,
                     bool sub_op) {
    const std::string of = "'attributes' of " + what;
    if (node.is_null() || (node.is_map() && node.entries.empty())) {
        ctx.problems.error(ctx.at(node), "{} is empty; leave the key out", of);
        return;
    }
    if (!ctx.is_map(node, of)) return;
    for (const auto& [key, value] : node.entries) {
        const std::string_view name = key->scalar;
        const AttrDef* known = find_attribute(def.attributes, name);
        if (!known) known = find_attribute(common_attributes(), name);
        for (const OpDef* other : all_ops())
            if (!known && sub_op && other->fusable) known = find_attribute(other->attributes, name);
        if (!known && is_known_attribute(name)) {
            ctx.note(*key, "{}: attribute '{}' has no meaning for {} and is ignored", what, name, def.name);
            continue;
        }
        if (!known) {
            std::vector<std::string> names;
            for (const AttrDef& attr : def.attributes) names.emplace_back(attr.name);
            for (const AttrDef& attr : common_attributes()) names.emplace_back(attr.name);
            ctx.problems.error(ctx.at(*key), "{}: {} has no attribute '{}'{}", what, def.name, name,
                               did_you_mean(name, names));
            continue;
        }
        ctx.attempt([&, &n = *value] { read_attribute({ctx, *known, n, name, into}); });
    }
}

}  // namespace ttsim::impl::reading
