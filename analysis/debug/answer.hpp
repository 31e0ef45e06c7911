// Result of a debugger command: facts, tables and lines, printed as text or as one JSON object.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::debug {

using Json = nlohmann::ordered_json;

/// A named table. Column titles are the keys with spaces for underscores.
struct Rows {
    std::string name;               ///< key in JSON
    std::vector<std::string> keys;  ///< column keys
    std::vector<std::vector<Json>> rows{};
    bool wraps = false;  ///< text: where the table is too wide, the last column is below the others, and whole
    void add(std::vector<Json> row) { rows.push_back(std::move(row)); }
};

struct Answer {
    Json facts = Json::object();  ///< printed first, one per line
    std::vector<Rows> tables;
    Json values;                     ///< JSON only: the values in the picture
    std::string picture;             ///< text only: drawing of the tables
    std::vector<std::string> lines;  ///< "lines" in JSON
    bool leave = false;              ///< true: the debugger exits
};

/// Text form; tables are limited to `width` columns, if given.
std::string text(const Answer& answer, std::optional<std::size_t> width);
/// JSON form in one line, including the command as it was typed.
std::string json(const Answer& answer, const std::string& command);

}  // namespace ttsim::impl::debug
