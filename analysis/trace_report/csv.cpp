#include "analysis/trace_report/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/csv.hpp"

namespace ttsim::impl::report {

using Json = nlohmann::ordered_json;

static std::string csv_cell(const Json& cell) {
    if (!cell.is_string()) return cell.is_null() ? "" : cell.dump();
    return csv_field(cell.get<std::string>());
}

std::string csv_rows(const Json& rows, const std::vector<std::string>& titles) {
    std::string text = fmt::format("{}\n", fmt::join(titles, ","));
    for (const Json& row : rows) {
        std::vector<std::string> cells;
        for (const std::string& title : titles) cells.push_back(csv_cell(row.at(title)));
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

}  // namespace ttsim::impl::report
