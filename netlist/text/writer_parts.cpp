#include "netlist/text/writer_parts.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl::writing {

std::string yaml_scalar(const std::string& text) {
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '$' || c == '.'; };
    const auto inside = [&](unsigned char c) { return plain(c) || c == '-' || c == '/'; };
    static const std::vector<std::string> reserved{"null", "Null", "NULL", "none", "None", "NONE"};
    const bool bare = !text.empty() && plain(static_cast<unsigned char>(text.front())) &&
                      std::all_of(text.begin(), text.end(), inside) &&
                      std::find(reserved.begin(), reserved.end(), text) == reserved.end();
    if (bare) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n')
            quoted += "\\n";
        else if (c == '\t')
            quoted += "\\t";
        else if (c == '\r')
            quoted += "\\r";
        else
            quoted += c;
    }
    return quoted + "\"";
}

std::string number(double value) {
    if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
    return fmt::format("{}", value);
}

std::string list(const std::vector<std::int64_t>& items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

std::string list(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + yaml_scalar(item);
    return "[" + text + "]";
}

namespace {

std::string broadcast(const std::map<int, std::int64_t>& entries) {
    FlowMap map;
    for (const auto& [input, tiles] : entries) map.add(fmt::format("input_{}", input), tiles);
    return map.text();
}

/// Adds values that differ from the default.
class AttributeList {
public:
    explicit AttributeList(FlowMap& into) : into_(into) {}
    void integer(const char* key, std::int64_t value, std::int64_t otherwise) {
        if (value != otherwise) into_.add(key, value);
    }
    void real(const char* key, double value, double otherwise) {
        if (value < otherwise || value > otherwise) into_.add(key, number(value));
    }
    void text(const char* key, const std::string& value, const std::string& otherwise) {
        if (value != otherwise) into_.add(key, yaml_scalar(value));
    }

private:
    FlowMap& into_;
};

}  // namespace

static std::string text_of(const AttrValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) return number(*real);
    if (const auto* text = std::get_if<std::string>(&value)) return yaml_scalar(*text);
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value)) return list(*numbers);
    return broadcast(std::get<std::map<int, std::int64_t>>(value));
}

FlowMap attributes(const OpAttributes& a, std::string_view type) {
    FlowMap map;
    std::set<std::string_view> seen;
    const auto add = [&](std::span<const AttrDef> list) {
        for (const AttrDef& attr : list)
            if (seen.insert(attr.name).second && !is_default(a, attr))
                map.add(std::string(attr.name), text_of(attribute(a, attr)));
    };
    if (const OpDef* own = find_op(type)) add(own->attributes);
    add(common_attributes());
    // a sub-op may have attributes of other ops
    for (const OpDef* other : all_ops()) add(other->attributes);
    return map;
}

namespace {

void add_range(FlowMap& map, const char* key, std::int64_t first, std::int64_t last) {
    if (first != 0) map.add(key, list(std::vector<std::int64_t>{first, last}));
}

FlowMap comparison(const Comparison& c) {
    FlowMap map;
    map.add("type", c.type == Comparison::Type::Exact      ? "Exact"
                    : c.type == Comparison::Type::AllClose ? "AllClose"
                                                           : "AllCloseHw");
    map.add("atol", number(c.atol));
    map.add("rtol", number(c.rtol));
    map.add("check_pct", number(c.check_pct));
    map.add("check_pcc", number(c.check_pcc));
    map.add("verbosity", yaml_scalar(c.verbosity));
    map.add("method", c.flat ? "FlatTensor" : "TilizedTensor");
    add_range(map, "check_tile_rows_range", c.rows_first, c.rows_last);
    add_range(map, "check_tile_cols_range", c.cols_first, c.cols_last);
    return map;
}

const char* name(Stimulus::Type type) {
    switch (type) {
        case Stimulus::Type::Uniform:
            return "Uniform";
        case Stimulus::Type::Normal:
            return "Normal";
        case Stimulus::Type::Constant:
            return "Constant";
        case Stimulus::Type::DebugTileId:
            return "DebugTileId";
        case Stimulus::Type::Step:
            return "Step";
        case Stimulus::Type::StepRowwise:
            return "StepRowwise";
        case Stimulus::Type::StepColumnwise:
            return "StepColumnwise";
        case Stimulus::Type::Sparse:
            return "sparse";
        case Stimulus::Type::SparseEncoding:
        case Stimulus::Type::SparseConvolution:
            return "sparse_encoding";
        case Stimulus::Type::SparseEncodingNzCounts:
            return "sparse_encoding_nz_counts";
    }
    return "";
}

FlowMap stimulus(const Stimulus& s) {
    const Stimulus d;
    FlowMap map;
    AttributeList add(map);
    const bool tile_id = s.type == Stimulus::Type::DebugTileId;
    map.add("type", name(s.type));
    add.real("uniform_lower_bound", s.low, d.low);
    add.real("uniform_upper_bound", s.high, d.high);
    add.real("normal_mean", s.mean, d.mean);
    add.real("normal_stddev", s.stddev, d.stddev);
    add.real("constant_value", s.value, d.value);
    add.real(tile_id ? "debug_tile_id_base" : "step_start", s.base, d.base);
    add.real(tile_id ? "debug_tile_id_step" : "step_increment", s.step, d.step);
    add.real("zero_strip_freq", s.zero_strip_freq, d.zero_strip_freq);
    add.real("zero_ublock_freq", s.zero_ublock_freq, d.zero_ublock_freq);
    add.real("zero_tile_freq", s.zero_tile_freq, d.zero_tile_freq);
    add.integer("nz_strips", s.nz_strips, d.nz_strips);
    add.integer("nz_ublocks", s.nz_ublocks, d.nz_ublocks);
    add.integer("nz_tiles", s.nz_tiles, d.nz_tiles);
    add.integer("enc_tile_byte_size", s.enc_tile_byte_size, d.enc_tile_byte_size);
    add.text("matmul_ident_name", s.matmul_ident_name, d.matmul_ident_name);
    add_range(map, "set_tile_rows", s.rows_first, s.rows_last);
    add_range(map, "set_tile_cols", s.cols_first, s.cols_last);
    return map;
}

template <class T, class Write>
FlowMap overrides(const std::vector<std::pair<std::string, T>>& entries, Write write) {
    FlowMap map;
    for (const auto& [queue, one] : entries) map.add(yaml_scalar(queue), write(one).text());
    return map;
}

}  // namespace

std::string test_config(const TestConfig& test) {
    std::string text;
    if (!test.args.empty()) {
        FlowMap args;
        for (const auto& [key, value] : test.args) args.add(yaml_scalar(key), value);
        text += "  test-args: " + args.text() + "\n";
    }
    if (test.comparison) {
        FlowMap map = comparison(*test.comparison);
        if (!test.comparison_overrides.empty())
            map.add("overrides", overrides(test.comparison_overrides, comparison).text());
        text += "  comparison-config: " + map.text() + "\n";
    }
    if (test.stimulus || !test.stimulus_overrides.empty()) {
        FlowMap map = test.stimulus ? stimulus(*test.stimulus) : FlowMap{};
        if (!test.stimulus_overrides.empty()) map.add("overrides", overrides(test.stimulus_overrides, stimulus).text());
        text += "  stimulus-config: " + map.text() + "\n";
    }
    if (!test.io_inputs.empty() || !test.io_outputs.empty())
        text += "  io-config: {inputs: " + list(test.io_inputs) + ", outputs: " + list(test.io_outputs) + "}\n";
    return text.empty() ? "" : "test-config:\n" + text;
}

std::string performance_check(const std::vector<PerformanceCheck>& checks) {
    std::string text;
    for (const PerformanceCheck& check : checks) {
        FlowMap map;
        if (!check.program.empty()) map.add("program-name", yaml_scalar(check.program));
        if (!check.graph.empty()) map.add("graph-name", yaml_scalar(check.graph));
        if (!check.target_inputs.empty()) map.add("target-inputs", list(check.target_inputs));
        if (!check.target_ops.empty()) map.add("target-ops", list(check.target_ops));
        if (!check.target_cores.empty()) map.add("target-cores", list(check.target_cores));
        for (const PerfMetric& metric : check.metrics)
            map.add(metric.name, fmt::format("{{expected: {}, rtol: {}, min_bound: {}}}", metric.expected, metric.rtol,
                                             metric.min_bound));
        text += "  " + yaml_scalar(check.name) + ": " + map.text() + "\n";
    }
    return text.empty() ? "" : "performance-check:\n" + text;
}

}  // namespace ttsim::impl::writing
