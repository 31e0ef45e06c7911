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

/// Each row as a line of its cells without the last one, which follows in lines of its own.
static std::string wrapped_text(const Rows& rows, std::size_t width) {
    constexpr std::size_t indent = 6;
    std::string out;
    for (const std::vector<Json>& row : rows.rows) {
        std::string line = " ";
        for (std::size_t c = 0; c + 1 < row.size(); ++c)
            if (const std::string shown = cell(row[c]); !shown.empty()) line += " " + shown + " ";
        line.erase(line.find_last_not_of(' ') + 1);
        for (const std::string& part : report::wrapped(line, width, indent)) out += part + "\n";
        for (const std::string& part : report::wrapped(std::string(indent, ' ') + cell(row.back()), width, 0))
            out += part + "\n";
    }
    return out;
}

static std::string rows_text(const Rows& rows, std::optional<std::size_t> width) {
    if (rows.rows.empty()) return fmt::format("no {}\n", title(rows.name));
    const std::string whole = table_text(rows, std::nullopt);
    if (rows.wraps && width && whole.find('\n') > *width) return wrapped_text(rows, *width);
    return table_text(rows, width);
}

std::string text(const Answer& answer, std::optional<std::size_t> width) {
    std::string out;
    for (const auto& [key, value] : answer.facts.items()) out += fmt::format("{}: {}\n", title(key), cell(value));
    for (const Rows& rows : answer.tables) out += rows_text(rows, width);
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
