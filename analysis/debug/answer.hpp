// What a command of the debugger answers: facts, tables, lines; as text for people and as one JSON object.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl::debug {

using Json = nlohmann::ordered_json;

/// Rows under one name. Titles are the keys, with spaces for underscores.
struct Rows {
    std::string name;               ///< key in JSON
    std::vector<std::string> keys;  ///< of the columns
    std::vector<std::vector<Json>> rows{};
    void add(std::vector<Json> row) { rows.push_back(std::move(row)); }
};

struct Answer {
    Json facts = Json::object();  ///< shown first, one a line
    std::vector<Rows> tables;
    Json values;                     ///< JSON only: what the picture draws
    std::string picture;             ///< text only: what the tables say, drawn
    std::vector<std::string> lines;  ///< "lines" in JSON
    bool leave = false;              ///< the debugger shall end
};

/// Tables no wider than `width`, where it is given.
std::string text(const Answer& answer, std::optional<std::size_t> width);
/// In one line, after the command as it was given.
std::string json(const Answer& answer, const std::string& command);

}  // namespace ttsim::impl::debug
