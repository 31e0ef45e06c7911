#include "base/yaml_map.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error_codes.hpp"
#include "base/text.hpp"

namespace ttsim::impl {

namespace {

std::string_view kind_name(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::Null:
            return "empty";
        case YamlNode::Kind::Scalar:
            return "a scalar";
        case YamlNode::Kind::Sequence:
            return "a list";
        case YamlNode::Kind::Map:
            return "a map";
    }
    return "unknown";
}

/// The node's text in a message: the scalar, or the kind of any other node.
std::string quoted_node(const YamlNode& node) {
    if (!node.is_scalar()) return std::string(kind_name(node));
    constexpr std::size_t max_length = 60;
    return fmt::format("'{}{}'", node.scalar.substr(0, max_length), node.scalar.size() > max_length ? "..." : "");
}

enum class Parsed { Ok, NotNumber, TooLarge };

Parsed parse_integer(std::string_view text, std::int64_t& value) {
    const bool negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex) text.remove_prefix(2);
    std::uint64_t magnitude = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), magnitude, hex ? 16 : 10);
    if (text.empty() || end != text.data() + text.size() || code == std::errc::invalid_argument)
        return Parsed::NotNumber;
    if (code == std::errc::result_out_of_range || magnitude > (std::uint64_t{1} << 62)) return Parsed::TooLarge;
    value = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
    return Parsed::Ok;
}

std::string range_text(IntRange allowed) {
    if (allowed.high == IntRange{}.high) return fmt::format("it must be at least {}", allowed.low);
    return fmt::format("it must lie in {}..{}", allowed.low, allowed.high);
}

}  // namespace

std::int64_t yaml_integer(const YamlNode& node, const std::string& file, std::string_view what, IntRange allowed) {
    std::int64_t value = 0;
    const Parsed parsed = node.is_scalar() ? parse_integer(node.scalar, value) : Parsed::NotNumber;
    if (parsed == Parsed::NotNumber)
        fail_input_as(error_code::wrong_value, node.loc(file), "'{}' is {}; an integer is wanted", what,
                      quoted_node(node));
    if (parsed == Parsed::TooLarge || value < allowed.low || value > allowed.high)
        fail_input_as(error_code::wrong_value, node.loc(file), "'{}' is {}; {}", what, node.scalar,
                      range_text(allowed));
    return value;
}

double yaml_number(const YamlNode& node, const std::string& file, std::string_view what) {
    double value = 0;
    std::int64_t integer = 0;
    if (node.is_scalar()) {
        std::string_view text = node.scalar;
        if (!text.empty() && text.front() == '+') text.remove_prefix(1);
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
        if (parse_integer(node.scalar, integer) == Parsed::Ok) return static_cast<double>(integer);
    }
    fail_input_as(error_code::wrong_value, node.loc(file), "'{}' is {}; a finite number is wanted", what,
                  quoted_node(node));
}

double yaml_number_or_infinity(const YamlNode& node, const std::string& file, std::string_view what) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::string word = node.is_scalar() ? to_lower(node.scalar) : "";
    if (word == ".inf" || word == "+.inf" || word == "inf" || word == "+inf") return infinity;
    if (word == "-.inf" || word == "-inf") return -infinity;
    return yaml_number(node, file, what);
}

bool yaml_flag(const YamlNode& node, const std::string& file, std::string_view what) {
    static const std::vector<std::string> on{"true", "yes", "on", "y"}, off{"false", "no", "off", "n"};
    if (node.is_scalar()) {
        const std::string word = to_lower(node.scalar);
        if (std::find(on.begin(), on.end(), word) != on.end()) return true;
        if (std::find(off.begin(), off.end(), word) != off.end()) return false;
    }
    fail_input_as(error_code::wrong_value, node.loc(file), "'{}' is {}; true or false is wanted", what,
                  quoted_node(node));
}

YamlMap::YamlMap(YamlPtr node, std::string file, std::string path)
    : node_(node), file_(std::move(file)), path_(std::move(path)) {
    const auto name = [&] { return path_.empty() ? "the file" : "'" + path_ + "'"; };
    if (!node_->is_map())
        fail_input_as(error_code::wrong_value, node_->loc(file_), "{} is {}; a map is wanted", name(),
                      quoted_node(*node_));
    for (const auto& [key, value] : node_->entries)
        if (!key->is_scalar())
            fail_input_as(error_code::wrong_value, key->loc(file_), "a key of {} is {}; a word is wanted", name(),
                          quoted_node(*key));
}

YamlMap::YamlMap(YamlRoot root, std::string file, std::string path)
    : YamlMap(root.get(), std::move(file), std::move(path)) {
    root_ = std::move(root);
}

YamlMap YamlMap::from_file(const std::string& file) { return {load_yaml_file(file), file, ""}; }

YamlMap YamlMap::from_text(std::string_view text, const std::string& name) {
    return {load_yaml_text(text, name), name, ""};
}

YamlPtr YamlMap::lookup(std::string_view key) {
    if (read_keys_.empty()) read_keys_.reserve(node_->entries.size());
    read_keys_.emplace_back(key);
    YamlPtr found = nullptr;
    for (const auto& [name, value] : node_->entries)
        if (name->scalar == key) found = value;
    return found;
}

YamlPtr YamlMap::require(std::string_view key) {
    YamlPtr found = lookup(key);
    if (!found)
        fail_input_as(error_code::wrong_value, where(), "{} needs the key '{}'",
                      path_.empty() ? "the file" : "'" + path_ + "'", key);
    return found;
}

bool YamlMap::has(std::string_view key) const {
    return std::any_of(node_->entries.begin(), node_->entries.end(),
                       [&](const auto& entry) { return entry.first->scalar == key; });
}

std::int64_t YamlMap::integer(std::string_view key, IntRange allowed) {
    return yaml_integer(*require(key), file_, key, allowed);
}

std::int64_t YamlMap::integer_or(std::string_view key, std::int64_t otherwise, IntRange allowed) {
    const YamlPtr found = lookup(key);
    return found ? yaml_integer(*found, file_, key, allowed) : otherwise;
}

double YamlMap::number(std::string_view key) { return yaml_number(*require(key), file_, key); }

double YamlMap::number_or(std::string_view key, double otherwise) {
    const YamlPtr found = lookup(key);
    return found ? yaml_number(*found, file_, key) : otherwise;
}

bool YamlMap::flag_or(std::string_view key, bool otherwise) {
    const YamlPtr found = lookup(key);
    return found ? yaml_flag(*found, file_, key) : otherwise;
}

std::string YamlMap::text(std::string_view key) {
    const YamlPtr found = require(key);
    if (!found->is_scalar())
        fail_input_as(error_code::wrong_value, found->loc(file_), "'{}' is {}; a text is wanted", key,
                      quoted_node(*found));
    return std::string(found->scalar);
}

std::string YamlMap::text_or(std::string_view key, std::string otherwise) {
    return has(key) ? text(key) : (read_keys_.emplace_back(key), std::move(otherwise));
}

std::string YamlMap::word(std::string_view key, const std::vector<std::string>& choices) {
    std::string found = text(key);
    if (std::find(choices.begin(), choices.end(), found) == choices.end()) {
        std::string list;
        for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
        fail_input_as(error_code::wrong_value, where(key), "'{}' is '{}'; it must be one of {}{}", key, found, list,
                      did_you_mean(found, choices));
    }
    return found;
}

YamlMap YamlMap::map(std::string_view key) {
    YamlMap part(require(key), file_, path_.empty() ? std::string(key) : path_ + "." + std::string(key));
    part.root_ = root_;
    return part;
}

YamlPtr YamlMap::node(std::string_view key) { return require(key); }

YamlPtr YamlMap::node_or_null(std::string_view key) { return lookup(key); }

std::vector<std::string> YamlMap::keys() const {
    std::vector<std::string> names;
    names.reserve(node_->entries.size());
    for (const auto& [key, value] : node_->entries)
        if (std::find(names.begin(), names.end(), key->scalar) == names.end()) names.emplace_back(key->scalar);
    return names;
}

void YamlMap::done() const {
    Diagnostics problems;
    for (const auto& [key, value] : node_->entries) {
        if (std::find(read_keys_.begin(), read_keys_.end(), key->scalar) != read_keys_.end()) continue;
        problems.error(key->loc(file_), "{} has no key '{}'{}", path_.empty() ? "the file" : "'" + path_ + "'",
                       key->scalar, did_you_mean(key->scalar, read_keys_));
    }
    problems.throw_if_any();
}

SourceLoc YamlMap::where() const { return node_->loc(file_); }

SourceLoc YamlMap::where(std::string_view key) const {
    SourceLoc place = where();
    for (const auto& [name, value] : node_->entries)
        if (name->scalar == key) place = value->loc(file_);
    return place;
}

}  // namespace ttsim::impl
