// Reads the section graphs of a netlist.
#include <cctype>
#include <charconv>
#include <set>

#include "netlist/text/read_parts.hpp"

namespace ttsim::impl::reading {

namespace {

struct OpReading {
    Op op;
    const OpDef* def = nullptr;
    std::vector<const YamlNode*> attributes;                   ///< read last, since they depend on the type
    std::vector<std::pair<std::size_t, SourceLoc>> per_input;  ///< inputs that have their own fields
};

OperandTms& tms_of(OpReading& reading, std::size_t input) {
    if (reading.op.tms.size() <= input) reading.op.tms.resize(input + 1);
    return reading.op.tms[input];
}

void read_type(Context& ctx, const YamlNode& node, OpReading& into) {
    into.op.cfg.type = text(ctx, node, "type");
    into.def = find_op(into.op.cfg.type);
    if (into.def) return;
    std::vector<std::string> known;
    for (const OpDef* def : all_ops()) known.emplace_back(def->name);
    fail_input(ctx.at(node), "'type' is {}, which is not an op type{}", quoted_node(node),
               did_you_mean(into.op.cfg.type, known));
}

void read_fidelity(Context& ctx, const YamlNode& node, OpReading& into) {
    const auto found = parse_fidelity(text(ctx, node, "math_fidelity"));
    if (!found)
        fail_input(ctx.at(node), "'math_fidelity' is {}; it must be one of LoFi, HiFi2, HiFi2_A, HiFi2_B, HiFi3, HiFi4",
                   quoted_node(node));
    into.op.cfg.fidelity = *found;
}

void read_forked_inputs(Context& ctx, const YamlNode& node, OpReading& into) {
    if (!ctx.is_list(node, "'forked_dram_inputs'")) return;
    for (const YamlPtr& item : node.items) {
        if (!ctx.is_map(*item, "an element of 'forked_dram_inputs'")) continue;
        for (const auto& [queue, op] : item->entries)
            into.op.forked_dram_inputs.emplace_back(queue->scalar, text(ctx, *op, "forked_dram_inputs"));
    }
}

constexpr IntRange tiles_range{0, std::int64_t{1} << 31};

const Field<OpReading> op_fields[] = {
    {"type", read_type, true},
    {"grid_loc",
     [](Context& c, const YamlNode& n, OpReading& r) {
         std::tie(r.op.grid_loc_r, r.op.grid_loc_c) = integer_pair(c, n, "grid_loc", {0, 63});
         r.op.has_grid_loc = true;
     }},
    {"grid_size", [](Context& c, const YamlNode& n, OpReading& r) { read_grid(c, n, r.op.cfg.out); }, true},
    {"grid_transpose",
     [](Context& c, const YamlNode& n, OpReading& r) { r.op.grid_transpose = yaml_flag(n, c.file, "grid_transpose"); }},
    {"inputs", [](Context& c, const YamlNode& n, OpReading& r) { r.op.inputs = text_list(c, n, "inputs"); }, true},
    {"in_df",
     [](Context& c, const YamlNode& n, OpReading& r) {
         if (!n.is_sequence())
             fail_input(c.at(n), "'in_df' is {}; a list with one format an input is wanted", quoted_node(n));
         r.op.cfg.in_df.clear();
         for (const YamlPtr& item : n.items) r.op.cfg.in_df.push_back(format(c, *item, "in_df"));
     },
     true},
    {"acc_df", [](Context& c, const YamlNode& n, OpReading& r) { r.op.cfg.acc_df = format(c, n, "acc_df"); }, true},
    {"out_df", [](Context& c, const YamlNode& n, OpReading& r) { r.op.cfg.out_df = format(c, n, "out_df"); }, true},
    {"intermed_df",
     [](Context& c, const YamlNode& n, OpReading& r) { r.op.cfg.intermed_df = format(c, n, "intermed_df"); }, true},
    {"math_fidelity", read_fidelity, true},
    {"t", [](Context& c, const YamlNode& n, OpReading& r) { read_t(c, n, r.op.cfg.out); }, true},
    {"mblock", [](Context& c, const YamlNode& n, OpReading& r) { read_mblock(c, n, r.op.cfg.out); }, true},
    {"ublock", [](Context& c, const YamlNode& n, OpReading& r) { read_ublock(c, n, r.op.cfg.out); }, true},
    {"ublock_order", [](Context& c, const YamlNode& n, OpReading& r) { r.op.cfg.out.order = ublock_order(c, n); }},
    {"tile_dim", [](Context& c, const YamlNode& n, OpReading& r) { r.op.cfg.tile = tile_dim(c, n); }},
    {"buf_size_mb",
     [](Context& c, const YamlNode& n, OpReading& r) {
         r.op.buf_size_mb = integer(c, n, "buf_size_mb", {1, 1 << 20});
     }},
    {"untilize_output",
     [](Context& c, const YamlNode& n, OpReading& r) { r.op.cfg.untilize = yaml_flag(n, c.file, "untilize_output"); }},
    {"gradient_op",
     [](Context& c, const YamlNode& n, OpReading& r) { r.op.cfg.gradient = yaml_flag(n, c.file, "gradient_op"); }},
    {"input_buf_min_size_tiles",
     [](Context& c, const YamlNode& n, OpReading& r) {
         r.op.input_buf_min_size_tiles = integer_list(c, n, "input_buf_min_size_tiles", tiles_range);
     }},
    {"input_dram_io_buf_size_tiles",
     [](Context& c, const YamlNode& n, OpReading& r) {
         r.op.input_dram_io_buf_size_tiles = integer_list(c, n, "input_dram_io_buf_size_tiles", tiles_range);
     }},
    {"overlay_size",
     [](Context& c, const YamlNode& n, OpReading& r) {
         r.op.overlay_size = integer(c, n, "overlay_size", {0, 1 << 24});
     }},
    {"forked_dram_inputs", read_forked_inputs},
    {"attributes", [](Context&, const YamlNode& n, OpReading& r) { r.attributes.push_back(&n); }},
};

struct Padding {
    std::int64_t rt = 0, ct = 0;
    double value = 0;
};
const Field<Padding> pad_fields[] = {
    {"rt",
     [](Context& c, const YamlNode& n, Padding& p) {
         p.rt = integer(c, n, "rt", {0, 1 << 20});
     }},
    {"ct",
     [](Context& c, const YamlNode& n, Padding& p) {
         p.ct = integer(c, n, "ct", {0, 1 << 20});
     }},
    {"pad_value",
     [](Context& c, const YamlNode& n, Padding& p) { p.value = yaml_number_or_infinity(n, c.file, "pad_value"); }},
};
const Field<Padding> unpad_fields[] = {pad_fields[0], pad_fields[1]};

/// "input_2_tms" -> 2; -1 if the name contains no number.
std::int64_t input_number(std::string_view name) {
    const auto digit = std::find_if(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    std::int64_t number = -1;
    std::from_chars(name.data() + (digit - name.begin()), name.data() + name.size(), number);
    return number;
}

/// Reads fields of one input: any name that contains "input" and "tms", "unpad" or "pad".
bool read_per_input(Context& ctx, const YamlNode& key, const YamlNode& value, OpReading& into) {
    const std::string_view name = key.scalar;
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (!has("input") || !(has("tms") || has("pad"))) return false;
    const std::int64_t input = input_number(name);
    if (input < 0 || input >= max_inputs) {
        ctx.problems.error(ctx.at(key), "'{}' must name an input by number, such as input_0_tms", name);
        return true;
    }
    OperandTms& tms = tms_of(into, static_cast<std::size_t>(input));
    if (!is_none(value)) into.per_input.emplace_back(static_cast<std::size_t>(input), ctx.at(key));
    if (has("tms")) {
        ctx.attempt([&] { append_tms(ctx, value, name, tms.tms); });
        return true;
    }
    Padding padding;
    if (has("unpad")) {
        read_fields(ctx, ctx.at(key), value, fmt::format("'{}'", name), unpad_fields, padding);
        tms.unpad_rt = padding.rt;
        tms.unpad_ct = padding.ct;
    } else {
        read_fields(ctx, ctx.at(key), value, fmt::format("'{}'", name), pad_fields, padding);
        tms.pad_rt = padding.rt;
        tms.pad_ct = padding.ct;
        tms.pad_value = static_cast<float>(padding.value);
    }
    return true;
}

void finish_op(Context& ctx, const std::string& what, OpReading& reading) {
    Op& op = reading.op;
    if (reading.def)
        for (const YamlNode* node : reading.attributes) read_attributes(ctx, *node, *reading.def, what, op.cfg.attr);
    if (op.cfg.in_df.size() == 1 && op.inputs.size() > 1) op.cfg.in_df.resize(op.inputs.size(), op.cfg.in_df.front());
    if (op.cfg.in_df.size() != op.inputs.size())
        ctx.problems.error(op.cfg.loc, "{} has {} inputs and {} formats in 'in_df'", what, op.inputs.size(),
                           op.cfg.in_df.size());
    for (const auto& [input, loc] : reading.per_input)
        if (input >= op.inputs.size())
            ctx.problems.error(loc, "{} has {} inputs and no input {}", what, op.inputs.size(), input);
    op.tms.resize(op.inputs.size());
    if (reading.def && !op.has_grid_loc && reading.def->op_class != OpClass::Ethernet)
        ctx.problems.error(op.cfg.loc, "{} needs the field 'grid_loc'", what);
    check_sizes(ctx, op.cfg.loc, what, op.cfg.out);
}

Op read_op(Context& ctx, const YamlNode& key, const YamlNode& value) {
    OpReading reading;
    reading.op.cfg.name = key.scalar;
    reading.op.cfg.loc = ctx.at(key);
    const std::string what = fmt::format("op '{}'", key.scalar);
    const std::size_t before = ctx.problems.size();
    read_fields(ctx, reading.op.cfg.loc, value, what, op_fields, reading,
                [&](const YamlNode& k, const YamlNode& v) { return read_per_input(ctx, k, v, reading); });
    if (ctx.problems.size() == before || reading.def) finish_op(ctx, what, reading);
    return std::move(reading.op);
}

void read_graph(Context& ctx, const YamlNode& key, const YamlNode& value, Netlist& into) {
    Graph graph;
    graph.name = key.scalar;
    graph.loc = ctx.at(key);
    const std::string what = "graph '" + graph.name + "'";
    if (!ctx.is_map(value, what)) return;
    bool has_count = false;
    for (const auto& [name, node] : value.entries) {
        if (name->scalar == "target_device") {
            ctx.attempt([&, &n = *node] { graph.target_devices = devices(ctx, n); });
        } else if (name->scalar == "input_count") {
            has_count = true;
            ctx.attempt([&, &n = *node] { graph.input_count = integer(ctx, n, "input_count", {1, 1 << 30}); });
        } else if (!node->is_map()) {
            ctx.problems.error(ctx.at(*name), "{} has no field '{}'{}", what, name->scalar,
                               did_you_mean(name->scalar, {"target_device", "input_count"}));
        } else {
            graph.ops.push_back(read_op(ctx, *name, *node));
        }
    }
    if (graph.target_devices.empty()) ctx.problems.error(graph.loc, "{} needs the field 'target_device'", what);
    if (!has_count) ctx.problems.error(graph.loc, "{} needs the field 'input_count'", what);
    into.graphs.push_back(std::move(graph));
}

}  // namespace

void read_graphs(Context& ctx, const YamlNode& node, Netlist& into) {
    if (node.is_null() || !ctx.is_map(node, "'graphs'")) return;
    std::set<std::string, std::less<>> names;
    for (const Graph& graph : into.graphs) names.insert(graph.name);
    for (const auto& [key, value] : node.entries) {
        if (names.emplace(key->scalar).second)
            read_graph(ctx, *key, *value, into);
        else
            ctx.problems.error(ctx.at(*key), "graph '{}' is defined twice", key->scalar);
    }
}

}  // namespace ttsim::impl::reading
