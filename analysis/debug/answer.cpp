#include "analysis/debug/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/table.hpp"

namespace ttsim::impl::debug {

static std::string cell(const Json& value) {
    if (value.is_null()) return "-";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (value.is_number_unsigned()) return report::grouped(value.get<std::uint64_t>());
    if (value.is_number_integer()) return report::grouped(value.get<std::int64_t>());
    if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
    if (!value.is_array()) return value.dump();
    std::string all;
    for (const Json& one : value) all += (all.empty() ? "" : ",") + cell(one);
    return all;
}

static std::string title(std::string key) {
    std::replace(key.begin(), key.end(), '_', ' ');
    return key;
}

static std::string table_text(const Rows& rows, std::optional<std::size_t> width) {
    std::vector<report::Table::Column> columns;
    for (std::size_t c = 0; c < rows.keys.size(); ++c) {
        const bool numbers = std::any_of(rows.rows.begin(), rows.rows.end(),
                                         [c](const std::vector<Json>& row) { return row[c].is_number(); });
        columns.push_back({title(rows.keys[c]), numbers});
    }
    report::Table table(std::move(columns));
    for (const std::vector<Json>& row : rows.rows) {
        std::vector<std::string> cells;
        for (const Json& value : row) cells.push_back(cell(value));
        table.add(std::move(cells));
    }
    return table.text(width);
}

std::string text(const Answer& answer, std::optional<std::size_t> width) {
    std::string out;
    for (const auto& [key, value] : answer.facts.items()) out += fmt::format("{}: {}\n", title(key), cell(value));
    for (const Rows& rows : answer.tables)
        out += rows.rows.empty() ? fmt::format("no {}\n", title(rows.name)) : table_text(rows, width);
    out += answer.picture;
    for (const std::string& line : answer.lines) out += line + "\n";
    return out;
}

std::string json(const Answer& answer, const std::string& command) {
    Json object = {{"command", command}};
    for (const auto& [key, value] : answer.facts.items()) object[key] = value;
    for (const Rows& rows : answer.tables) {
        Json list = Json::array();
        for (const std::vector<Json>& row : rows.rows) {
            Json one = Json::object();
            for (std::size_t c = 0; c < rows.keys.size(); ++c) one[rows.keys[c]] = row[c];
            list.push_back(std::move(one));
        }
        object[rows.name] = std::move(list);
    }
    if (!answer.values.is_null()) object["values"] = answer.values;
    if (!answer.lines.empty()) object["lines"] = answer.lines;
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ttsim::impl::debug
