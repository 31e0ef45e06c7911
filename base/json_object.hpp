// JSON documents read strictly: every message names file and key.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl {

/// Refuses keys given twice in one object, which the library would drop silently. Throws Error(Input) at the line.
nlohmann::json parse_json(std::string_view text, const std::string& file);

/// One object of a document. `path`: where it stands, "" at the top. Everything throws Error(Input) naming file and
/// key.
class JsonObject {
public:
    using json = nlohmann::json;
    JsonObject(const json& value, std::string path, const std::string& file);
    /// No other keys than these.
    void only(const std::vector<std::string>& known) const;
    const json* find(const std::string& key) const;  ///< null: there is none
    const json& need(const std::string& key) const;
    std::string text(const std::string& key) const;
    const json& list(const std::string& key) const;
    std::int64_t whole(const json& found, const std::string& key, std::int64_t least) const;
    [[noreturn]] void fail(const std::string& key, const std::string& what) const;

private:
    const json& value_;
    std::string path_;
    const std::string& file_;
};

/// Whether a name leads to a file below its folder: relative, and without "..".
bool stays_inside(const std::string& name);

}  // namespace ttsim::impl
