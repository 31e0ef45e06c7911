// The attributes of ops and sub-ops: the registry says which exist and what they may hold, the table here where
// each of them goes.
#include <charconv>

#include "netlist/text/read_parts.hpp"

namespace tt::reading {

namespace {

struct AttrReading {
    Context& ctx;
    const AttrDef& def;
    const YamlNode& node;
    std::string_view name;  ///< as written (input3 for inputN)
    OpAttributes& attr;

    bool flag() const { return yaml_flag(node, ctx.file, name); }
    std::int64_t number() const { return whole(ctx, node, name, {def.low, def.high}); }
    int small() const { return static_cast<int>(whole(ctx, node, name, {def.low, std::min(def.high, most_int)})); }
    double real() const {
        const double value = yaml_number(node, ctx.file, name);
        if (value < static_cast<double>(def.low) || value > static_cast<double>(def.high))
            fail_input(ctx.at(node), "'{}' is {}; it must lie in {}..{}", name, node.scalar, def.low, def.high);
        return value;
    }
    std::string choice() const {
        if (def.words.empty()) return text(ctx, node, name);
        std::vector<std::string> choices;
        for (std::size_t at = 0; at <= def.words.size();) {
            const std::size_t end = std::min(def.words.find('|', at), def.words.size());
            choices.emplace_back(def.words.substr(at, end - at));
            at = end + 1;
        }
        return word(ctx, node, name, choices);
    }
    std::vector<std::int64_t> list() const { return whole_list(ctx, node, name, {def.low, def.high}); }

    static constexpr std::int64_t most_int = (std::int64_t{1} << 31) - 1;
};

/// {input_0: tiles}: at most one entry an input, over all kinds and repeats of the key.
void read_broadcast(const AttrReading& a, std::map<int, std::int64_t>& into) {
    if (!a.ctx.is_map(a.node, "'" + std::string(a.name) + "'")) return;
    for (const auto& [key, value] : a.node.entries) {
        constexpr std::string_view prefix = "input_";
        const std::string& name = key->scalar;
        const char* const last = name.data() + name.size();
        int input = -1;
        bool good = name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] != '-';
        if (good) {
            const auto [end, code] = std::from_chars(name.data() + prefix.size(), last, input);
            good = code == std::errc() && end == last && input < most_inputs;
        }
        if (!good)
            fail_input(a.ctx.at(*key), "'{}' of '{}' must be input_0, input_1, ... up to input_{}", name, a.name,
                       most_inputs - 1);
        if (a.attr.kernel_broadcast.contains(input) || a.attr.kernel_broadcast_per_t.contains(input))
            fail_input(a.ctx.at(*key), "input {} has a kernel broadcast already", input);
        into[input] = whole(a.ctx, *value, name, {1, AttrReading::most_int});
    }
}

void read_single_tile(const AttrReading& a) {
    for (const std::int64_t input : whole_list(a.ctx, a.node, a.name, {0, most_inputs - 1})) {
        if (!a.attr.kernel_broadcast.emplace(static_cast<int>(input), 1).second)
            fail_input(a.ctx.at(a.node), "input {} has a kernel broadcast already", input);
    }
}

void read_splice_input(const AttrReading& a) {
    const std::vector<std::int64_t> list = whole_list(a.ctx, a.node, a.name, {0, AttrReading::most_int});
    if (list.size() != 3)
        fail_input(a.ctx.at(a.node), "'{}' has {} numbers; [index, length, stride] is wanted", a.name, list.size());
    const std::size_t input = static_cast<std::size_t>(a.name.back() - '0');
    if (a.attr.splice.size() <= input) a.attr.splice.resize(input + 1);
    a.attr.splice[input] = {list[0], list[1], list[2]};
}

VectorMode vector_mode(const std::string& name) {
    return name == "r" ? VectorMode::R : name == "c" ? VectorMode::C : VectorMode::RC;
}
ReduceDim reduce_dim(const std::string& name) {
    return name == "r" ? ReduceDim::R : name == "c" ? ReduceDim::C : name == "z" ? ReduceDim::Z : ReduceDim::RC;
}
ReluMode relu_mode(const std::string& name) {
    return name == "min" ? ReluMode::Min : name == "max" ? ReluMode::Max : ReluMode::None;
}

struct Setter {
    std::string_view name;
    void (*set)(const AttrReading&);
};
const Setter setters[] = {
    {"m_k", [](const AttrReading& a) { a.attr.m_k = a.number(); }},
    {"u_kt", [](const AttrReading& a) { a.attr.u_kt = a.number(); }},
    {"bias", [](const AttrReading& a) { a.attr.bias = a.flag(); }},
    {"accumulate", [](const AttrReading& a) { a.attr.accumulate = a.flag(); }},
    {"z", [](const AttrReading& a) { a.attr.z = a.number(); }},
    {"l1_acc", [](const AttrReading& a) { a.attr.l1_acc = a.flag(); }},
    {"sfpu_op", [](const AttrReading& a) { a.attr.sfpu_gelu = a.choice() == "gelu"; }},
    {"min_buffer_input", [](const AttrReading& a) { a.attr.min_buffer_input = a.small(); }},
    {"requant", [](const AttrReading& a) { a.attr.requant = a.flag(); }},
    {"dequant", [](const AttrReading& a) { a.attr.dequant = a.flag(); }},
    {"zero_point", [](const AttrReading& a) { a.attr.zero_point = a.real(); }},
    {"identity", [](const AttrReading& a) { a.attr.identity = a.flag(); }},
    {"num_index_tiles", [](const AttrReading& a) { a.attr.num_index_tiles = a.number(); }},
    {"num_sparse_tiles", [](const AttrReading& a) { a.attr.num_sparse_tiles = a.number(); }},
    {"num_columns", [](const AttrReading& a) { a.attr.num_columns = a.number(); }},
    {"sparse_tile_ptr_bits", [](const AttrReading& a) { a.attr.sparse_tile_ptr_bits = a.number(); }},
    {"sparse_ublock_idx_bits", [](const AttrReading& a) { a.attr.sparse_ublock_idx_bits = a.number(); }},
    {"indices_len", [](const AttrReading& a) { a.attr.indices_len = a.number(); }},
    {"fracture_factor", [](const AttrReading& a) { a.attr.fracture_factor = a.number(); }},
    {"starting_row", [](const AttrReading& a) { a.attr.starting_row = a.number(); }},
    {"act_t", [](const AttrReading& a) { a.attr.act_t = a.number(); }},
    {"num_nz_strips", [](const AttrReading& a) { a.attr.num_nz_strips = a.list(); }},
    {"vector", [](const AttrReading& a) { a.attr.vector = vector_mode(a.choice()); }},
    {"approximate_mode", [](const AttrReading& a) { a.attr.approximate_mode = a.flag(); }},
    {"sfpu_execution_thread", [](const AttrReading& a) { a.attr.sfpu_on_pack = a.choice() == "pack"; }},
    {"relu_en", [](const AttrReading& a) { a.attr.relu_en = a.flag(); }},
    {"relu_threshold", [](const AttrReading& a) { a.attr.relu_threshold = static_cast<float>(a.real()); }},
    {"relu_mode", [](const AttrReading& a) { a.attr.relu = relu_mode(a.choice()); }},
    {"stoch_rnd_mode", [](const AttrReading& a) { a.attr.stoch_rnd_mode = a.choice(); }},
    {"srnd_fpu_en",
     [](const AttrReading& a) {
         if (a.flag()) a.attr.stoch_rnd_mode = "fpu";
     }},
    {"dim", [](const AttrReading& a) { a.attr.reduce_dim = reduce_dim(a.choice()); }},
    {"type", [](const AttrReading& a) { a.attr.reduce_type = a.choice(); }},
    {"p", [](const AttrReading& a) { a.attr.p = a.real(); }},
    {"seed", [](const AttrReading& a) { a.attr.seed = a.number(); }},
    {"slope", [](const AttrReading& a) { a.attr.slope = a.real(); }},
    {"exp", [](const AttrReading& a) { a.attr.exp = a.number(); }},
    {"fused_op_id", [](const AttrReading& a) { a.attr.fused_op_id = text(a.ctx, a.node, a.name); }},
    {"granularity",
     [](const AttrReading& a) { a.attr.granularity = a.choice() == "t" ? SpliceUnit::T : SpliceUnit::Ublock; }},
    {"inputN", read_splice_input},
    {"num_indices", [](const AttrReading& a) { a.attr.num_indices = a.number(); }},
    {"k", [](const AttrReading& a) { a.attr.k = a.number(); }},
    {"sort", [](const AttrReading& a) { a.attr.sort = a.choice() == "argmax" ? TopkSort::ArgMax : TopkSort::Max; }},
    {"kreduce", [](const AttrReading& a) { a.attr.kreduce = a.flag(); }},
    {"kernel_broadcast", [](const AttrReading& a) { read_broadcast(a, a.attr.kernel_broadcast); }},
    {"kernel_broadcast_per_t", [](const AttrReading& a) { read_broadcast(a, a.attr.kernel_broadcast_per_t); }},
    {"single_tile", read_single_tile},
    {"ingress_channels", [](const AttrReading& a) { a.attr.ingress_channels = a.list(); }},
    {"egress_channels", [](const AttrReading& a) { a.attr.egress_channels = a.list(); }},
    {"dest_device", [](const AttrReading& a) { a.attr.dest_device = a.number(); }},
};

/// input0 ... input7 of splice share one record.
bool is_splice_input(std::string_view name) {
    return name.size() == 6 && name.starts_with("input") && name[5] >= '0' && name[5] <= '7';
}

const Setter* find_setter(std::string_view name) {
    const std::string_view wanted = is_splice_input(name) ? "inputN" : name;
    const auto found =
        std::find_if(std::begin(setters), std::end(setters), [&](const Setter& s) { return s.name == wanted; });
    return found == std::end(setters) ? nullptr : found;
}

const AttrDef* find_attribute(std::span<const AttrDef> list, std::string_view name) {
    for (const AttrDef& def : list)
        if (def.name == name || (def.name == "inputN" && is_splice_input(name))) return &def;
    return nullptr;
}

/// Whether some op gives that name a meaning.
bool known_anywhere(std::string_view name) {
    const auto ops = all_ops();
    return std::any_of(ops.begin(), ops.end(), [&](const OpDef* op) { return find_attribute(op->attributes, name); });
}

}  // namespace

bool attribute_has_place(std::string_view name) { return find_setter(name) != nullptr; }

void read_attributes(Context& ctx, const YamlNode& node, const OpDef& def, const std::string& what, OpAttributes& into,
                     bool sub_op) {
    const std::string of = "'attributes' of " + what;
    if (node.is_null() || (node.is_map() && node.entries.empty())) {
        ctx.problems.error(ctx.at(node), "{} is empty; leave the key out", of);
        return;
    }
    if (!ctx.is_map(node, of)) return;
    for (const auto& [key, value] : node.entries) {
        const std::string& name = key->scalar;
        const AttrDef* known = find_attribute(def.attributes, name);
        if (!known) known = find_attribute(common_attributes(), name);
        for (const OpDef* other : all_ops())
            if (!known && sub_op && other->fusable) known = find_attribute(other->attributes, name);
        if (!known && known_anywhere(name)) {
            ctx.note(*key, "{}: attribute '{}' has no meaning for {} and is ignored", what, name, def.name);
            continue;
        }
        if (!known) {
            std::vector<std::string> names;
            for (const AttrDef& one : def.attributes) names.emplace_back(one.name);
            for (const AttrDef& one : common_attributes()) names.emplace_back(one.name);
            ctx.problems.error(ctx.at(*key), "{}: {} has no attribute '{}'{}", what, def.name, name,
                               did_you_mean(name, names));
            continue;
        }
        const Setter* setter = find_setter(name);
        TT_CHECK(setter != nullptr, "attribute '{}' of the registry has no place in OpAttributes", name);
        ctx.attempt([&, &n = *value] { setter->set({ctx, *known, n, name, into}); });
    }
}

}  // namespace tt::reading
