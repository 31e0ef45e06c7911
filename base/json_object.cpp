#include "base/json_object.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fs = std::filesystem;
using nlohmann::json;

namespace ttsim::impl {

json parse_json(std::string_view text, const std::string& file) {
    std::vector<std::set<std::string>> open;
    std::string duplicate_key;
    constexpr int max_depth = 200;
    const auto on_event = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth > max_depth)
            fail_input({file, 0, 0}, "objects and lists lie in each other more than {} deep", max_depth);
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end) open.pop_back();
        if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second &&
            duplicate_key.empty())
            duplicate_key = parsed.get<std::string>();
        return true;
    };
    json document;
    try {
        document = json::parse(text, on_event);
    } catch (const json::exception& error) {
        const auto byte = dynamic_cast<const json::parse_error*>(&error);
        const std::size_t end = byte ? std::min(byte->byte, text.size()) : 0;
        const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
        fail_input({file, static_cast<int>(std::count(text.begin(), stop, '\n')) + 1, 0}, "it is not valid JSON");
    }
    if (!duplicate_key.empty()) fail_input({file, 0, 0}, "the key '{}' is given twice in one object", duplicate_key);
    return document;
}

JsonObject::JsonObject(const json& value, std::string path, const std::string& file)
    : value_(value), path_(std::move(path)), file_(file) {
    if (!value_.is_object()) fail("", "an object is wanted");
}

void JsonObject::only(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : value_.items())
        if (std::find(known.begin(), known.end(), key) == known.end())
            fail(key, "there is no such key" + did_you_mean(key, known));
}

const json* JsonObject::find(const std::string& key) const {
    const auto found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
}

const json& JsonObject::need(const std::string& key) const {
    if (const json* found = find(key)) return *found;
    fail(key, "the key is missing");
}

std::string JsonObject::text(const std::string& key) const {
    const json& found = need(key);
    if (!found.is_string()) fail(key, "a text is wanted");
    return found.get<std::string>();
}

const json& JsonObject::list(const std::string& key) const {
    const json& found = need(key);
    if (!found.is_array()) fail(key, "a list is wanted");
    return found;
}

std::int64_t JsonObject::integer(const json& found, const std::string& key, std::int64_t least) const {
    const bool fits = found.is_number_integer() &&
                      !(found.is_number_unsigned() && found.get<std::uint64_t>() > (std::uint64_t{1} << 62));
    if (!fits) fail(key, "an integer is wanted");
    const auto number = found.get<std::int64_t>();
    if (number < least) fail(key, fmt::format("it is {}; it must be at least {}", number, least));
    return number;
}

void JsonObject::fail(const std::string& key, const std::string& what) const {
    const std::string where = key.empty() ? path_ : path_.empty() ? key : path_ + "." + key;
    fail_input({file_, 0, 0}, "'{}': {}", where.empty() ? "the file" : where, what);
}

bool is_path_inside(const std::string& name) {
    if (name.empty() || name.find('\0') != std::string::npos) return false;
    const fs::path path(name);
    return path.is_relative() && path.has_filename() &&
           std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace ttsim::impl
