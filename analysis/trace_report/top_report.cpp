#include "analysis/trace_report/top_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/report/table.hpp"
#include "analysis/trace_report/csv.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"

namespace ttsim::impl::report {

using trace::OpTotal;
using Json = nlohmann::ordered_json;

namespace {

/// One column: title, text and sort key.
struct Column {
    enum class Shown : std::uint8_t { Words, Whole, Share, No };
    std::string name, title;
    Shown shown;
    std::function<Json(const OpTotal&)> value;
};

const std::vector<Column>& columns() {
    using Shown = Column::Shown;
    static const std::vector<Column> all{
        {"op", "op", Shown::Words, [](const OpTotal& o) { return o.name; }},
        {"type", "type", Shown::Words, [](const OpTotal& o) { return o.type; }},
        {"graph", "graph", Shown::Words, [](const OpTotal& o) { return o.graph; }},
        {"chip", "chip", Shown::No, [](const OpTotal& o) { return o.chip; }},
        {"grid_r", "", Shown::No, [](const OpTotal& o) { return o.grid_r; }},
        {"grid_c", "", Shown::No, [](const OpTotal& o) { return o.grid_c; }},
        {"launches", "launches", Shown::Whole, [](const OpTotal& o) { return o.launches; }},
        {"inputs", "inputs", Shown::Whole, [](const OpTotal& o) { return o.inputs; }},
        {"tiles", "", Shown::No, [](const OpTotal& o) { return o.tiles; }},
        {"total", "total", Shown::Whole, [](const OpTotal& o) { return o.own_cycles; }},
        {"run_share", "of run", Shown::Share, [](const OpTotal& o) { return o.run_share; }},
        {"bw_kernel", "bw_kernel", Shown::Whole, [](const OpTotal& o) { return o.bw_kernel_cycles; }},
        {"kernel", "kernel", Shown::Whole, [](const OpTotal& o) { return o.kernel_cycles; }},
        {"cycles", "cycles", Shown::Whole, [](const OpTotal& o) { return o.cycles; }},
        {"limit", "limits", Shown::Words, [](const OpTotal& o) { return to_string(o.limit); }},
        {"wait_source", "", Shown::No, [](const OpTotal& o) { return o.wait_source_cycles; }},
        {"wait_room", "", Shown::No, [](const OpTotal& o) { return o.wait_room_cycles; }},
        {"wait_source_share", "for input", Shown::Share, [](const OpTotal& o) { return o.wait_source_share; }},
        {"wait_room_share", "for room", Shown::Share, [](const OpTotal& o) { return o.wait_room_share; }},
        {"math_utilization", "math", Shown::Share, [](const OpTotal& o) { return o.math_utilization; }}};
    return all;
}

std::string cell(const Column& column, const OpTotal& op) {
    const Json value = column.value(op);
    if (column.shown == Column::Shown::Words) return value.get<std::string>();
    if (column.shown == Column::Shown::Share) return percent(value.get<double>());
    return rounded(value.get<double>());
}

Json rows(const TopReport& report) {
    Json all = Json::array();
    for (const OpTotal& op : report.ops) {
        Json row;
        for (const Column& column : columns()) row[column.name] = column.value(op);
        all.push_back(std::move(row));
    }
    return all;
}

}  // namespace

std::vector<std::string> top_columns() {
    std::vector<std::string> names;
    for (const Column& column : columns()) names.push_back(column.name);
    return names;
}

TopReport top_report(trace::Reader& trace, const std::string& sort, std::optional<std::size_t> limit) {
    const auto by = std::find_if(columns().begin(), columns().end(), [&](const Column& c) { return c.name == sort; });
    TT_CHECK(by != columns().end(), "'{}' is a column", sort);
    TopReport report{trace.run(), op_totals(trace), 0};
    std::stable_sort(report.ops.begin(), report.ops.end(), [&](const OpTotal& a, const OpTotal& b) {
        const Json left = by->value(a), right = by->value(b);
        return left.is_string() ? left < right : right < left;
    });
    if (limit && *limit < report.ops.size()) {
        report.left_out = report.ops.size() - *limit;
        report.ops.resize(*limit);
    }
    return report;
}

std::string text(const TopReport& report, std::optional<std::size_t> width) {
    std::vector<Table::Column> titles;
    for (const Column& column : columns())
        if (column.shown != Column::Shown::No) titles.push_back({column.title, column.shown != Column::Shown::Words});
    Table table(titles);
    for (const OpTotal& op : report.ops) {
        std::vector<std::string> cells;
        for (const Column& column : columns())
            if (column.shown != Column::Shown::No) cells.push_back(cell(column, op));
        table.add(std::move(cells));
    }
    std::string out = table.text(width);
    if (report.left_out > 0) out += fmt::format("{} more; --limit shows them\n", report.left_out);
    return out + "\ntotal: cycles of the op's slowest core in the whole run without waits for other ops; bw_kernel, " +
           "kernel and cycles are per input\n";
}

std::string json(const TopReport& report) {
    return json_document({{"netlist", report.run.netlist},
                          {"device", report.run.device},
                          {"cycles", report.run.cycles},
                          {"status", report.run.status},
                          {"ops", rows(report)},
                          {"left_out", report.left_out}});
}

std::string csv(const TopReport& report) { return csv_rows(rows(report), top_columns()); }

}  // namespace ttsim::impl::report
