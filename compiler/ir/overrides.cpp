#include "compiler/ir/overrides.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"

namespace tt::ir {

namespace {

const std::vector<std::string>& keys() {
    static const std::vector<std::string> all{"size", "place",         "transpose",   "t",
                                              "u_kt", "input_buffers", "epoch_break", "fracture"};
    return all;
}

std::pair<std::int64_t, std::int64_t> pair_of(const std::vector<std::int64_t>& numbers, const SourceLoc& loc,
                                              const std::string& key, std::int64_t least) {
    if (numbers.size() != 2 || numbers[0] < least || numbers[1] < least)
        fail_input(loc, "'{}' is a pair of numbers from {} on: rows, columns", key, least);
    return {numbers[0], numbers[1]};
}

std::int64_t one_of(const std::vector<std::int64_t>& numbers, const SourceLoc& loc, const std::string& key,
                    std::int64_t least) {
    if (numbers.size() != 1 || numbers[0] < least) fail_input(loc, "'{}' is one number from {} on", key, least);
    return numbers[0];
}

void set(OpOverride& o, const std::string& key, const std::vector<std::int64_t>& numbers, const SourceLoc& loc) {
    if (key == "size")
        o.size = pair_of(numbers, loc, key, 1);
    else if (key == "place")
        o.place = pair_of(numbers, loc, key, 0);
    else if (key == "transpose")
        o.transpose = one_of(numbers, loc, key, 0) != 0;
    else if (key == "t")
        o.t = one_of(numbers, loc, key, 1);
    else if (key == "u_kt")
        o.u_kt = one_of(numbers, loc, key, 1);
    else if (key == "input_buffers")
        o.input_buffers = numbers;
    else if (key == "epoch_break")
        o.epoch_break = one_of(numbers, loc, key, 0) != 0;
    else if (key == "fracture")
        o.fracture = one_of(numbers, loc, key, 1);
    else
        fail_input(loc, "an override has no '{}'{}", key, did_you_mean(key, keys()));
}

std::vector<std::int64_t> numbers_of(const YamlNode& node, const std::string& file, const std::string& key) {
    if (node.kind != YamlNode::Kind::Sequence) {
        if (key == "transpose" || key == "epoch_break") return {yaml_flag(node, file, key) ? 1 : 0};
        return {yaml_whole(node, file, key)};
    }
    std::vector<std::int64_t> numbers;
    for (const auto& item : node.items) numbers.push_back(yaml_whole(*item, file, key));
    return numbers;
}

/// "2x4": whole numbers with x between.
std::vector<std::int64_t> numbers_of(const std::string& text, const std::string& whole) {
    std::vector<std::int64_t> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        std::int64_t n = 0;
        const auto [next, error] = std::from_chars(at, end, n);
        if (error != std::errc() || n < 0 || (next != end && *next != 'x'))
            fail_input({}, "--override {}: '{}' must be whole numbers with x between, such as 2x4", whole, text);
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

bool OpOverride::places() const {
    return size || place || transpose || t || u_kt || !input_buffers.empty() || epoch_break;
}

namespace {

/// What is wrong with an override's name; "": nothing.
std::string unknown(const std::string& name, const OpOverride& o, const std::vector<std::string>& ops,
                    const std::vector<std::string>& convolutions) {
    const auto has = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (o.fracture && !has(convolutions))
        return fmt::format("no convolution of the model with constant weights is called '{}'{}", name,
                           did_you_mean(name, convolutions));
    if ((o.places() || !o.fracture) && !has(ops))
        return fmt::format("no op of the netlist is called '{}'{}; --explain lists them", name,
                           did_you_mean(name, ops));
    return {};
}

}  // namespace

std::vector<std::string> drop_unknown(Overrides& overrides, const std::vector<std::string>& ops,
                                      const std::vector<std::string>& convolutions) {
    std::vector<std::string> notes;
    for (auto at = overrides.begin(); at != overrides.end();) {
        std::string problem = unknown(at->first, at->second, ops, convolutions);
        at = problem.empty() ? std::next(at) : overrides.erase(at);
        if (!problem.empty()) notes.push_back("an override has no effect: " + problem);
    }
    return notes;
}

void check_overrides(const Overrides& overrides, const std::vector<std::string>& ops,
                     const std::vector<std::string>& convolutions) {
    Diagnostics problems;
    for (const auto& [name, o] : overrides)
        if (const std::string problem = unknown(name, o, ops, convolutions); !problem.empty())
            problems.error(o.loc, "{}", problem);
    problems.throw_if_any();
}

}  // namespace tt::ir
