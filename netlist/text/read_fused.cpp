// Reads the section fused_ops of a netlist.
#include <charconv>
#include <set>

#include "netlist/text/read_parts.hpp"

namespace ttsim::impl::reading {

namespace {

struct SubOpReading {
    FusedSubOp sub;
    const OpDef* def = nullptr;
    std::vector<const YamlNode*> attributes;
    std::vector<std::pair<std::size_t, SourceLoc>> per_input;
};

FusedOperand fused_operand(const Context& ctx, const YamlNode& node, std::string_view what) {
    const std::string name = text(ctx, node, what);
    if (name == "dest") return {FusedOperand::Kind::Dest, 0};
    if (name == "output") return {FusedOperand::Kind::Output, 0};
    for (const auto& [prefix, kind] : {std::pair{std::string_view("input"), FusedOperand::Kind::Input},
                                       std::pair{std::string_view("intermed"), FusedOperand::Kind::Intermed}}) {
        if (!name.starts_with(prefix)) continue;
        int index = -1;
        const char* const last = name.data() + name.size();
        const auto [end, code] = std::from_chars(name.data() + prefix.size(), last, index);
        if (code == std::errc() && end == last && index >= 0 && index < max_inputs) return {kind, index};
    }
    fail_input(ctx.at(node), "'{}' is {}; it must be input<N>, intermed<N>, dest or output", what, quoted_node(node));
}

std::vector<FusedOperand> fused_operands(const Context& ctx, const YamlNode& node, std::string_view what) {
    if (!node.is_sequence()) fail_input(ctx.at(node), "'{}' is {}; a list is wanted", what, quoted_node(node));
    std::vector<FusedOperand> list;
    for (const YamlPtr& item : node.items) list.push_back(fused_operand(ctx, *item, what));
    return list;
}

FusedTm fused_tm(const Context& ctx, const YamlNode& node) {
    if (!node.is_map() || node.entries.size() != 1)
        fail_input(ctx.at(node), "a TM of a sub-op is {}; broadcast or tile_broadcast is wanted", quoted_node(node));
    const auto& [key, value] = node.entries.front();
    const std::string name = choice(ctx, *key, "TM of a sub-op", {"broadcast", "tile_broadcast"});
    if (name == "tile_broadcast") {
        const bool row = choice(ctx, *value, name, {"r", "c"}) == "r";
        return {row ? FusedTm::Kind::TileBroadcastR : FusedTm::Kind::TileBroadcastC, 1};
    }
    if (!value->is_map() || value->entries.size() != 1)
        fail_input(ctx.at(*value), "'broadcast' of a sub-op is {}; a map with one of r, c is wanted",
                   quoted_node(*value));
    const auto& [dim, factor] = value->entries.front();
    const bool row = choice(ctx, *dim, "broadcast", {"r", "c"}) == "r";
    return {row ? FusedTm::Kind::BroadcastR : FusedTm::Kind::BroadcastC,
            integer(ctx, *factor, "broadcast", block_range)};
}

const Field<SubOpReading> sub_op_fields[] = {
    {"type",
     [](Context& c, const YamlNode& n, SubOpReading& r) {
         r.sub.type = text(c, n, "type");
         r.def = find_op(r.sub.type);
         std::vector<std::string> known;
         for (const OpDef* def : all_ops())
             if (def->fusable) known.emplace_back(def->name);
         if (!r.def || !r.def->fusable)
             fail_input(c.at(n), "'type' is {}, which is not an op that can be fused{}", quoted_node(n),
                        did_you_mean(r.sub.type, known));
     },
     true},
    {"inputs", [](Context& c, const YamlNode& n, SubOpReading& r) { r.sub.inputs = fused_operands(c, n, "inputs"); },
     true},
    {"output", [](Context& c, const YamlNode& n, SubOpReading& r) { r.sub.output = fused_operand(c, n, "output"); },
     true},
    {"mblock",
     [](Context& c, const YamlNode& n, SubOpReading& r) {
         std::tie(r.sub.mblock_m, r.sub.mblock_n) = integer_pair(c, n, "mblock", block_range);
     },
     true},
    {"ublock",
     [](Context& c, const YamlNode& n, SubOpReading& r) {
         std::tie(r.sub.ublock_rt, r.sub.ublock_ct) = integer_pair(c, n, "ublock", block_range);
     },
     true},
    {"attributes", [](Context&, const YamlNode& n, SubOpReading& r) { r.attributes.push_back(&n); }},
    {"zero_point", [](Context& c, const YamlNode& n,
                      SubOpReading& r) { r.sub.attributes.zero_point = yaml_number(n, c.file, "zero_point"); }},
    {"pop", [](Context& c, const YamlNode& n, SubOpReading& r) { r.sub.pop = fused_operands(c, n, "pop"); }},
    {"pop_last",
     [](Context& c, const YamlNode& n, SubOpReading& r) { r.sub.pop_last = fused_operands(c, n, "pop_last"); }},
};

bool read_sub_op_tms(Context& ctx, const YamlNode& key, const YamlNode& value, SubOpReading& into) {
    const std::string_view name = key.scalar;
    if (name.size() != 11 || !name.starts_with("input_") || !name.ends_with("_tms") || name[6] < '0' || name[6] > '7')
        return false;
    if (is_none(value) || !ctx.is_list(value, fmt::format("'{}'", name))) return true;
    const std::size_t input = static_cast<std::size_t>(name[6] - '0');
    into.per_input.emplace_back(input, ctx.at(key));
    if (into.sub.input_tms.size() <= input) into.sub.input_tms.resize(input + 1);
    for (const YamlPtr& item : value.items)
        ctx.attempt([&] { into.sub.input_tms[input].push_back(fused_tm(ctx, *item)); });
    return true;
}

FusedSubOp read_sub_op(Context& ctx, const YamlNode& key, const YamlNode& value) {
    SubOpReading reading;
    reading.sub.name = key.scalar;
    reading.sub.loc = ctx.at(key);
    const std::string what = fmt::format("sub-op '{}'", key.scalar);
    read_fields(ctx, reading.sub.loc, value, what, sub_op_fields, reading,
                [&](const YamlNode& k, const YamlNode& v) { return read_sub_op_tms(ctx, k, v, reading); });
    if (reading.def)
        for (const YamlNode* node : reading.attributes)
            read_attributes(ctx, *node, *reading.def, what, reading.sub.attributes, true);
    for (const auto& [input, loc] : reading.per_input)
        if (input >= reading.sub.inputs.size())
            ctx.problems.error(loc, "{} has {} inputs and no input {}", what, reading.sub.inputs.size(), input);
    reading.sub.input_tms.resize(reading.sub.inputs.size());
    if (bounded_product({reading.sub.mblock_m, reading.sub.mblock_n, reading.sub.ublock_rt, reading.sub.ublock_ct}) < 0)
        ctx.problems.error(reading.sub.loc, "{} has more than {} tiles (mblock x ublock)", what, max_tiles);
    return std::move(reading.sub);
}

void read_schedules(Context& ctx, const YamlNode& node, FusedDefinition& into) {
    if (!ctx.is_list(node, "'schedules'")) return;
    for (const YamlPtr& group : node.items) {
        if (!ctx.is_list(*group, "an element of 'schedules'")) continue;
        std::vector<FusedSubOp>& schedule = into.schedules.emplace_back();
        for (const YamlPtr& item : group->items) {
            if (!ctx.is_map(*item, "a sub-op of 'schedules'")) continue;
            for (const auto& [key, value] : item->entries) schedule.push_back(read_sub_op(ctx, *key, *value));
        }
    }
}

}  // namespace

void read_fused_ops(Context& ctx, const YamlNode& node, Netlist& into) {
    if (node.is_null() || !ctx.is_map(node, "'fused_ops'")) return;
    std::set<std::string> ids;
    for (const auto& fused : into.fused_ops) ids.insert(fused->id);
    for (const auto& [key, value] : node.entries) {
        const std::string what = fmt::format("fused op '{}'", key->scalar);
        if (!ids.emplace(key->scalar).second) ctx.problems.error(ctx.at(*key), "{} is defined twice", what);
        if (!ctx.is_map(*value, what)) continue;
        auto fused = std::make_shared<FusedDefinition>();
        fused->id = key->scalar;
        fused->loc = ctx.at(*key);
        // Other fields are notes of the tool that wrote the file.
        for (const auto& [name, field] : value->entries)
            ctx.attempt([&, &n = *field, &word = name->scalar] {
                if (word == "inputs") fused->inputs = integer(ctx, n, word, {0, max_inputs});
                if (word == "intermediates") fused->intermediates = integer(ctx, n, word, {0, 8});
                if (word == "schedules") read_schedules(ctx, n, *fused);
            });
        if (fused->schedules.empty()) ctx.problems.error(fused->loc, "{} needs the field 'schedules'", what);
        into.fused_ops.push_back(std::move(fused));
    }
}

}  // namespace ttsim::impl::reading
