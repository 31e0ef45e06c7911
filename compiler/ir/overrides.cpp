#include "compiler/ir/overrides.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"

namespace ttsim::impl::ir {

namespace {

const std::vector<std::string>& keys() {
    static const std::vector<std::string> all{
        "size",          "place",        "transpose",       "t",      "t_columns", "t_dir", "u_kt",
        "input_buffers", "input_blocks", "output_buffers",  "queued", "nops",      "after", "fuse",
        "epoch_break",   "chip_break",   "dram_parameters", "chip",   "fracture",  "parts"};
    return all;
}

std::pair<std::int64_t, std::int64_t> pair_of(const std::vector<std::int64_t>& numbers, const SourceLoc& loc,
                                              const std::string& key, std::int64_t least) {
    if (numbers.size() != 2 || numbers[0] < least || numbers[1] < least)
        fail_input(loc, "'{}' is a pair of numbers from {} on: rows, columns", key, least);
    return {numbers[0], numbers[1]};
}

std::int64_t single(const std::vector<std::int64_t>& numbers, const SourceLoc& loc, const std::string& key,
                    std::int64_t least) {
    if (numbers.size() != 1 || numbers[0] < least) fail_input(loc, "'{}' is one number from {} on", key, least);
    return numbers[0];
}

/// Checks counts of created ops against a limit, so that a typo does not create millions.
std::vector<std::int64_t> check_counts(const std::vector<std::int64_t>& numbers, const SourceLoc& loc,
                                       const std::string& key) {
    constexpr std::int64_t most = 64;
    for (const std::int64_t n : numbers)
        if (n < 0 || n > most) fail_input(loc, "'{}' are numbers from 0 to {}", key, most);
    return numbers;
}

void set(OpOverride& o, const std::string& key, const std::vector<std::int64_t>& numbers, const SourceLoc& loc) {
    if (key == "size")
        o.size = pair_of(numbers, loc, key, 1);
    else if (key == "place")
        o.place = pair_of(numbers, loc, key, 0);
    else if (key == "transpose")
        o.transpose = single(numbers, loc, key, 0) != 0;
    else if (key == "t")
        o.t = single(numbers, loc, key, 1);
    else if (key == "t_columns")
        o.t_columns = single(numbers, loc, key, 1);
    else if (key == "u_kt")
        o.u_kt = single(numbers, loc, key, 1);
    else if (key == "input_buffers")
        o.input_buffers = numbers;
    else if (key == "input_blocks")
        o.input_blocks = check_counts(numbers, loc, key);
    else if (key == "output_buffers")
        o.output_buffers = single(numbers, loc, key, 1);
    else if (key == "dram_parameters")
        o.dram_parameters = single(numbers, loc, key, 0) != 0;
    else if (key == "queued")
        o.queued = numbers;
    else if (key == "nops")
        o.nops = check_counts(numbers, loc, key);
    else if (key == "after")
        fail_input(loc, "'after' is a list of ops, which only a file of overrides holds");
    else if (key == "t_dir")
        fail_input(loc, "'t_dir' is r or c, which only a file of overrides holds");
    else if (key == "fuse")
        o.fuse = single(numbers, loc, key, 0) != 0;
    else if (key == "epoch_break")
        o.epoch_break = single(numbers, loc, key, 0) != 0;
    else if (key == "chip_break")
        o.chip_break = single(numbers, loc, key, 0) != 0;
    else if (key == "chip")
        o.chip = single(numbers, loc, key, 0);
    else if (key == "parts")
        o.parts = single(numbers, loc, key, 1);
    else if (key == "fracture")
        o.fracture = single(numbers, loc, key, 1);
    else
        fail_input(loc, "an override has no '{}'{}", key, did_you_mean(key, keys()));
}

std::vector<std::int64_t> numbers_of(const YamlNode& node, const std::string& file, const std::string& key) {
    if (node.kind != YamlNode::Kind::Sequence) {
        static const std::set<std::string> flags{"transpose", "dram_parameters", "fuse", "epoch_break", "chip_break"};
        if (flags.contains(key)) return {yaml_flag(node, file, key) ? 1 : 0};
        return {yaml_integer(node, file, key)};
    }
    std::vector<std::int64_t> numbers;
    for (const auto& item : node.items) numbers.push_back(yaml_integer(*item, file, key));
    return numbers;
}

std::vector<std::string> names_of(const YamlNode& node, const SourceLoc& loc) {
    std::vector<std::string> names;
    for (const auto& item : node.items) {
        if (item->kind != YamlNode::Kind::Scalar) fail_input(loc, "'after' is a list of names of ops");
        names.emplace_back(item->scalar);
    }
    if (names.empty()) fail_input(loc, "'after' is a list of names of ops");
    return names;
}

/// Whether slices are by columns.
bool columns_of(const YamlNode& node, const SourceLoc& loc) {
    if (node.kind != YamlNode::Kind::Scalar || (node.scalar != "r" && node.scalar != "c"))
        fail_input(loc, "'t_dir' is r or c: slices of rows or of columns");
    return node.scalar == "c";
}

/// {matmul_1: 2}
std::map<std::string, std::int64_t> counts_of(YamlMap names) {
    std::map<std::string, std::int64_t> counts;
    for (const std::string& name : names.keys())
        counts[name] = check_counts({names.integer(name)}, names.where(name), "nops").front();
    names.done();
    return counts;
}

/// "2x4": integers separated by x.
std::vector<std::int64_t> numbers_of(const std::string& text, const std::string& override_text) {
    std::vector<std::int64_t> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        std::int64_t n = 0;
        const auto [next, error] = std::from_chars(at, end, n);
        if (error != std::errc() || n < 0 || (next != end && *next != 'x'))
            fail_input({}, "--override {}: '{}' must be integers with x between, such as 2x4", override_text, text);
        numbers.push_back(n);
        if (next == end) return numbers;
        at = next + 1;
    }
}

}  // namespace

void read_overrides(const std::string& file, Overrides& into) {
    constexpr std::uint64_t most = std::uint64_t{1} << 24;
    parse_overrides(read_file(file, most), file, into);
}

void parse_overrides(const std::string& text, const std::string& file, Overrides& into) {
    YamlMap all = YamlMap::from_text(text, file);
    for (const std::string& name : all.keys()) {
        YamlMap op = all.map(name);
        OpOverride& made = into[name];
        made.loc = op.where();
        for (const std::string& key : op.keys()) {
            const SourceLoc loc = op.where(key);
            if (std::find(keys().begin(), keys().end(), key) == keys().end())
                fail_input(loc, "an override has no '{}'{}", key, did_you_mean(key, keys()));
            if (key == "after")
                made.after = names_of(*op.node(key), loc);
            else if (key == "t_dir")
                made.by_columns = columns_of(*op.node(key), loc);
            else if (key == "nops" && op.node(key)->kind == YamlNode::Kind::Map)
                made.nops_after = counts_of(op.map(key));
            else
                set(made, key, numbers_of(*op.node(key), file, key), loc);
        }
        op.done();
    }
    all.done();
}

void parse_override(const std::string& text, Overrides& into) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
        fail_input({}, "--override '{}' must be NAME:KEY=VALUE,..., such as matmul_1:size=2x4", text);
    OpOverride& made = into[text.substr(0, colon)];
    for (std::size_t at = colon + 1; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, comma - at);
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos)
            fail_input({}, "--override {}: '{}' must be KEY=VALUE, such as size=2x4", text, part);
        set(made, part.substr(0, equals), numbers_of(part.substr(equals + 1), text), {});
        at = comma + 1;
    }
}

bool OpOverride::affects_placement() const {
    return size || place || transpose || t || t_columns || by_columns || u_kt || parts || !input_buffers.empty() ||
           !input_blocks.empty() || output_buffers || dram_parameters || !queued.empty() || !after.empty() ||
           begins_epoch();
}

bool OpOverride::affects_fusion() const { return !nops.empty() || !nops_after.empty() || fuse; }

namespace {

struct UnknownName {
    std::string nearest, message;
};

UnknownName no_op(const std::string& name, const std::vector<std::string>& ops) {
    return {nearest(name, ops),
            fmt::format("no op of the netlist is called '{}'{}; --explain lists them", name, did_you_mean(name, ops))};
}

/// The name in an override that no op has; nullopt: all are known.
std::optional<UnknownName> unknown_name_in(const std::string& name, const OpOverride& o, const OverrideNames& known) {
    const auto has = [](const std::vector<std::string>& names, const std::string& one) {
        return std::find(names.begin(), names.end(), one) != names.end();
    };
    const auto at = [&](const char* key, UnknownName wrong) {
        return UnknownName{wrong.nearest, fmt::format("of '{}' {}: {}", name, key, wrong.message)};
    };
    if (o.fracture && !has(known.convolutions, name))
        return UnknownName{nearest(name, known.convolutions),
                           fmt::format("no convolution of the model with constant weights is called '{}'{}", name,
                                       did_you_mean(name, known.convolutions))};
    if (o.affects_fusion() && !has(known.apart, name)) return no_op(name, known.apart);
    if ((o.affects_placement() || (!o.fracture && !o.affects_fusion())) && !has(known.ops, name))
        return no_op(name, known.ops);
    for (const std::string& before : o.after)
        if (!has(known.ops, before)) return at("after", no_op(before, known.ops));
    for (const auto& [before, unused] : o.nops_after)
        if (!has(known.apart, before)) return at("nops", no_op(before, known.apart));
    return std::nullopt;
}

}  // namespace

std::vector<IgnoredOverride> drop_unknown(Overrides& overrides, const OverrideNames& names) {
    std::vector<IgnoredOverride> dropped;
    for (auto at = overrides.begin(); at != overrides.end();) {
        const auto wrong = unknown_name_in(at->first, at->second, names);
        if (wrong) dropped.push_back({at->first, error_code::unknown_name, wrong->nearest, wrong->message});
        at = wrong ? overrides.erase(at) : std::next(at);
    }
    return dropped;
}

void check_overrides(const Overrides& overrides, const OverrideNames& names) {
    Diagnostics problems;
    for (const auto& [name, o] : overrides)
        if (const auto wrong = unknown_name_in(name, o, names))
            problems.add(make_problem(Fault::Input, {o.loc, error_code::unknown_name, {name}}, wrong->message));
    problems.throw_if_any();
}

}  // namespace ttsim::impl::ir
