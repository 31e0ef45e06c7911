// Reads the sections test-config and performance-check of a netlist.
#include "netlist/text/read_parts.hpp"

namespace ttsim::impl::reading {

namespace {

template <class T, double T::*member>
void read_number(Context& ctx, const YamlNode& node, T& into) {
    into.*member = yaml_number(node, ctx.file, ctx.field);
}

/// [first, last], counted from 1.
template <class T, std::int64_t T::*first, std::int64_t T::*last>
void read_range(Context& ctx, const YamlNode& node, T& into) {
    const auto [a, b] = integer_pair(ctx, node, ctx.field, {1, tile_edge});
    if (a > b) fail_input(ctx.at(node), "the range [{}, {}] ends before it begins", a, b);
    into.*first = a;
    into.*last = b;
}

void read_fraction(Context& ctx, const YamlNode& node, double& into, const char* what) {
    into = yaml_number(node, ctx.file, what);
    if (into < 0 || into > 1) fail_input(ctx.at(node), "'{}' is {}; it must lie in 0..1", what, node.scalar);
}

const Field<Comparison> comparison_fields[] = {
    {"type",
     [](Context& c, const YamlNode& n, Comparison& t) {
         const std::string name = choice(c, n, "type", {"exact", "allclose", "allclosehw"});
         t.type = name == "exact"      ? Comparison::Type::Exact
                  : name == "allclose" ? Comparison::Type::AllClose
                                       : Comparison::Type::AllCloseHw;
     }},
    {"atol", read_number<Comparison, &Comparison::atol>},
    {"rtol", read_number<Comparison, &Comparison::rtol>},
    {"check_pct", [](Context& c, const YamlNode& n, Comparison& t) { read_fraction(c, n, t.check_pct, "check_pct"); }},
    {"check_pcc", [](Context& c, const YamlNode& n, Comparison& t) { read_fraction(c, n, t.check_pcc, "check_pcc"); }},
    {"verbosity", [](Context& c, const YamlNode& n, Comparison& t) { t.verbosity = text(c, n, "verbosity"); }},
    {"method",
     [](Context& c, const YamlNode& n, Comparison& t) {
         t.flat = choice(c, n, "method", {"flattensor", "tilizedtensor"}) == "flattensor";
     }},
    {"check_tile_rows_range", read_range<Comparison, &Comparison::rows_first, &Comparison::rows_last>},
    {"check_tile_cols_range", read_range<Comparison, &Comparison::cols_first, &Comparison::cols_last>},
    {"lhs_header", [](Context&, const YamlNode&, Comparison&) {}},
    {"rhs_header", [](Context&, const YamlNode&, Comparison&) {}},
};

const std::vector<std::pair<std::string, Stimulus::Type>> stimulus_types{
    {"uniform", Stimulus::Type::Uniform},
    {"normal", Stimulus::Type::Normal},
    {"constant", Stimulus::Type::Constant},
    {"debugtileid", Stimulus::Type::DebugTileId},
    {"step", Stimulus::Type::Step},
    {"steprowwise", Stimulus::Type::StepRowwise},
    {"stepcolumnwise", Stimulus::Type::StepColumnwise},
    {"sparse", Stimulus::Type::Sparse},
    {"sparse_encoding", Stimulus::Type::SparseEncoding},
    {"sparse_encoding_nz_counts", Stimulus::Type::SparseEncodingNzCounts},
};

void read_stimulus_type(Context& ctx, const YamlNode& node, Stimulus& into) {
    std::vector<std::string> names;
    for (const auto& [name, type] : stimulus_types) names.push_back(name);
    const std::string chosen = choice(ctx, node, "type", names);
    for (const auto& [name, type] : stimulus_types)
        if (name == chosen) into.type = type;
}

constexpr IntRange count_range{0, (std::int64_t{1} << 31) - 1};
using StimulusField = Field<Stimulus>;
const StimulusField stimulus_fields[] = {
    {"type", read_stimulus_type},
    {"uniform_lower_bound", read_number<Stimulus, &Stimulus::low>},
    {"uniform_upper_bound", read_number<Stimulus, &Stimulus::high>},
    {"normal_mean", read_number<Stimulus, &Stimulus::mean>},
    {"normal_stddev", read_number<Stimulus, &Stimulus::stddev>},
    {"constant_value", read_number<Stimulus, &Stimulus::value>},
    {"debug_tile_id_base", read_number<Stimulus, &Stimulus::base>},
    {"debug_tile_id_step", read_number<Stimulus, &Stimulus::step>},
    {"step_start", read_number<Stimulus, &Stimulus::base>},
    {"step_increment", read_number<Stimulus, &Stimulus::step>},
    {"zero_strip_freq",
     [](Context& c, const YamlNode& n, Stimulus& s) { read_fraction(c, n, s.zero_strip_freq, "zero_strip_freq"); }},
    {"zero_ublock_freq",
     [](Context& c, const YamlNode& n, Stimulus& s) { read_fraction(c, n, s.zero_ublock_freq, "zero_ublock_freq"); }},
    {"zero_tile_freq",
     [](Context& c, const YamlNode& n, Stimulus& s) { read_fraction(c, n, s.zero_tile_freq, "zero_tile_freq"); }},
    {"nz_strips",
     [](Context& c, const YamlNode& n, Stimulus& s) { s.nz_strips = integer(c, n, "nz_strips", count_range); }},
    {"nz_ublocks",
     [](Context& c, const YamlNode& n, Stimulus& s) { s.nz_ublocks = integer(c, n, "nz_ublocks", count_range); }},
    {"nz_tiles",
     [](Context& c, const YamlNode& n, Stimulus& s) { s.nz_tiles = integer(c, n, "nz_tiles", count_range); }},
    {"enc_tile_byte_size",
     [](Context& c, const YamlNode& n, Stimulus& s) {
         s.enc_tile_byte_size = integer(c, n, "enc_tile_byte_size", {4, 1 << 20});
     }},
    {"matmul_ident_name",
     [](Context& c, const YamlNode& n, Stimulus& s) { s.matmul_ident_name = text(c, n, "matmul_ident_name"); }},
    {"set_tile_rows", read_range<Stimulus, &Stimulus::rows_first, &Stimulus::rows_last>},
    {"set_tile_cols", read_range<Stimulus, &Stimulus::cols_first, &Stimulus::cols_last>},
};

bool has_key(const YamlNode& map, std::string_view name) {
    return std::any_of(map.entries.begin(), map.entries.end(), [&](const auto& e) { return e.first->scalar == name; });
}

/// Calls read(key, value) for every pair below 'overrides'.
template <class Read>
void read_overrides(Context& ctx, const YamlNode& map, Read read) {
    for (const auto& [key, value] : map.entries) {
        if (key->scalar != "overrides" || value->is_null()) continue;
        if (!ctx.is_map(*value, "'overrides'")) continue;
        for (const auto& [queue, config] : value->entries) read(*queue, *config);
    }
}

/// Test keys without effect here are noted and ignored.
template <class T, std::size_t N>
bool note_unknown(Context& ctx, const YamlNode& key, const std::string& what, const Field<T> (&fields)[N]) {
    std::vector<std::string> known;
    for (const Field<T>& field : fields) known.emplace_back(field.name);
    ctx.note(key, "{} has no field '{}', it is ignored{}", what, key.scalar, did_you_mean(key.scalar, known));
    return true;
}

/// As read_fields(), but unknown fields other than `besides` are only noted.
template <class T, std::size_t N>
void read_known(Context& ctx, const SourceLoc& loc, const YamlNode& map, const std::string& what,
                const Field<T> (&fields)[N], T& into, std::string_view besides = "") {
    read_fields(ctx, loc, map, what, fields, into, [&](const YamlNode& key, const YamlNode&) {
        return key.scalar == besides || note_unknown(ctx, key, what, fields);
    });
}

/// An override changes the given fields; the others come from the main rule.
void read_comparison(Context& ctx, const YamlNode& node, TestConfig& into) {
    const std::string what = "'comparison-config'";
    Comparison rule;
    read_known(ctx, ctx.at(node), node, what, comparison_fields, rule, "overrides");
    if (!node.is_map()) return;
    into.comparison = rule;
    read_overrides(ctx, node, [&](const YamlNode& queue, const YamlNode& config) {
        Comparison own = rule;
        read_known(ctx, ctx.at(queue), config, fmt::format("override '{}' of {}", queue.scalar, what),
                   comparison_fields, own);
        into.comparison_overrides.emplace_back(queue.scalar, own);
    });
}

/// An override with a type does not inherit from the main stimulus.
void read_stimulus(Context& ctx, const YamlNode& node, TestConfig& into) {
    const std::string what = "'stimulus-config'";
    Stimulus main;
    read_known(ctx, ctx.at(node), node, what, stimulus_fields, main, "overrides");
    if (!node.is_map()) return;
    const bool only_overrides = node.entries.size() == 1 && has_key(node, "overrides");
    if (!only_overrides) into.stimulus = main;
    read_overrides(ctx, node, [&](const YamlNode& queue, const YamlNode& config) {
        Stimulus own = has_key(config, "type") ? Stimulus{} : main;
        read_known(ctx, ctx.at(queue), config, fmt::format("override '{}' of {}", queue.scalar, what), stimulus_fields,
                   own);
        into.stimulus_overrides.emplace_back(queue.scalar, own);
    });
}

bool begins_with_number(std::string_view text) {
    const std::size_t first = text.find_first_not_of("+-");
    return first != std::string_view::npos && text[first] >= '0' && text[first] <= '9';
}

void read_args(Context& ctx, const YamlNode& node, TestConfig& into) {
    if (!ctx.is_map(node, "'test-args'")) return;
    constexpr std::int64_t max_int = (std::int64_t{1} << 31) - 1;
    for (const auto& [key, value] : node.entries)
        ctx.attempt([&, name = std::string(key->scalar), &n = *value] {
            const std::string lower = n.is_scalar() ? to_lower(n.scalar) : "";
            if (lower == "true" || lower == "false") {
                into.args[name] = lower == "true" ? 1 : 0;
            } else if (!begins_with_number(lower)) {
                ctx.note(n, "'{}' of 'test-args' is {}, no number, and is ignored", name, quoted_node(n));
            } else {
                into.args[name] = integer(ctx, n, name, {-max_int, max_int});
            }
        });
}

const Field<TestConfig> io_fields[] = {
    {"inputs",
     [](Context& c, const YamlNode& n, TestConfig& t) {
         if (!is_none(n)) t.io_inputs = text_list(c, n, "inputs");
     }},
    {"outputs",
     [](Context& c, const YamlNode& n, TestConfig& t) {
         if (!is_none(n)) t.io_outputs = text_list(c, n, "outputs");
     }},
};

const Field<TestConfig> test_fields[] = {
    {"test-args",
     [](Context& c, const YamlNode& n, TestConfig& t) {
         if (!is_none(n)) read_args(c, n, t);
     }},
    {"comparison-config",
     [](Context& c, const YamlNode& n, TestConfig& t) {
         if (!is_none(n)) read_comparison(c, n, t);
     }},
    {"stimulus-config",
     [](Context& c, const YamlNode& n, TestConfig& t) {
         if (!is_none(n)) read_stimulus(c, n, t);
     }},
    {"io-config",
     [](Context& c, const YamlNode& n, TestConfig& t) {
         if (!is_none(n)) read_known(c, c.at(n), n, "'io-config'", io_fields, t);
     }},
};

const Field<PerfMetric> metric_fields[] = {
    {"expected", read_number<PerfMetric, &PerfMetric::expected>},
    {"rtol", read_number<PerfMetric, &PerfMetric::rtol>},
    {"min_bound", read_number<PerfMetric, &PerfMetric::min_bound>},
};

/// Cores are given as "r-c" or [r, c].
std::vector<std::string> core_list(Context& ctx, const YamlNode& node) {
    if (!node.is_sequence()) return text_list(ctx, node, "target-cores");
    std::vector<std::string> list;
    for (const YamlPtr& item : node.items) {
        if (!item->is_sequence()) {
            list.push_back(text(ctx, *item, "target-cores"));
            continue;
        }
        const auto [r, c] = integer_pair(ctx, *item, "target-cores", {0, 63});
        list.push_back(fmt::format("{}-{}", r, c));
    }
    return list;
}

void read_performance_field(Context& ctx, std::string_view key, const YamlNode& node, PerformanceCheck& into) {
    static const std::vector<std::string> metrics{"backend-samples-per-second",
                                                  "tensors-per-second",
                                                  "cycles-per-tensor",
                                                  "math-utilization",
                                                  "output-bw",
                                                  "input0-bw",
                                                  "execution-cycles"};
    constexpr std::int64_t max_int = (std::int64_t{1} << 31) - 1;
    if (is_none(node)) return;
    if (key == "program-name") into.program = text(ctx, node, key);
    if (key == "graph-name") into.graph = text(ctx, node, key);
    if (key == "target-inputs") into.target_inputs = integer_list(ctx, node, key, {-max_int, max_int});
    if (key == "target-ops") into.target_ops = text_list(ctx, node, key);
    if (key == "target-cores") into.target_cores = core_list(ctx, node);
    if (std::find(metrics.begin(), metrics.end(), key) == metrics.end()) return;
    PerfMetric metric;
    metric.name = key;
    if (node.is_scalar())
        metric.expected = yaml_number(node, ctx.file, key);
    else
        read_fields(ctx, ctx.at(node), node, fmt::format("'{}'", key), metric_fields, metric);
    into.metrics.push_back(metric);
}

}  // namespace

void read_test_config(Context& ctx, const YamlNode& node, TestConfig& into) {
    if (!is_none(node)) read_known(ctx, ctx.at(node), node, "'test-config'", test_fields, into);
}

void read_performance_check(Context& ctx, const YamlNode& node, std::vector<PerformanceCheck>& into) {
    if (is_none(node) || !ctx.is_map(node, "'performance-check'")) return;
    for (const auto& [key, value] : node.entries) {
        if (!value->is_map()) continue;
        PerformanceCheck check;
        check.name = key->scalar;
        check.loc = ctx.at(*key);
        if (!ctx.is_map(*value, fmt::format("'{}'", key->scalar))) continue;
        for (const auto& [name, field] : value->entries)
            ctx.attempt([&, &k = name->scalar, &n = *field] { read_performance_field(ctx, k, n, check); });
        into.push_back(std::move(check));
    }
}

}  // namespace ttsim::impl::reading
