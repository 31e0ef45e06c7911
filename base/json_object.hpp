// Strict reading of JSON documents: every error names file and key.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl {

/// Parses JSON. Throws Error(Input) at the line for invalid JSON and for duplicate keys, which the library would drop
/// silently.
nlohmann::json parse_json(std::string_view text, const std::string& file);

/// Typed access to an object of a document. `path` is its location in the document, "" at the top. All functions throw
/// Error(Input) that names file and key.
class JsonObject {
public:
    using json = nlohmann::json;
    JsonObject(const json& value, std::string path, const std::string& file);
    /// Fails if the object has other keys.
    void only(const std::vector<std::string>& known) const;
    const json* find(const std::string& key) const;  ///< null if absent
    const json& need(const std::string& key) const;
    std::string text(const std::string& key) const;
    const json& list(const std::string& key) const;
    std::int64_t integer(const json& found, const std::string& key, std::int64_t least) const;
    [[noreturn]] void fail(const std::string& key, const std::string& what) const;

private:
    const json& value_;
    std::string path_;
    const std::string& file_;
};

/// Whether a name is a path to a file below its folder: relative, and without "..".
bool is_path_inside(const std::string& name);

}  // namespace ttsim::impl
