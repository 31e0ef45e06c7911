#include "analysis/exports/perf_parts.hpp"

#include <fmt/ranges.h>

#include "analysis/exports/text_files.hpp"
#include "analysis/report/table.hpp"
#include "base/csv.hpp"

namespace ttsim::impl::report {

Json not_known() { return "N/A"; }

Json known_or_not(const std::optional<double>& value) { return value ? Json(*value) : not_known(); }

std::optional<double> per_second(const std::optional<double>& cycles, std::int64_t mhz) {
    if (!cycles || *cycles <= 0) return std::nullopt;
    return static_cast<double>(mhz) * 1e6 / *cycles;
}

std::optional<double> gigabytes(const std::optional<double>& bytes_per_cycle, std::int64_t mhz) {
    if (!bytes_per_cycle) return std::nullopt;
    return *bytes_per_cycle * static_cast<double>(mhz) / 1000;
}

std::string core_name(const CoreMeasure& core) { return fmt::format("{}-{}", core.x, core.y); }

std::string core_label(const CoreMeasure& core, const OpMeasure& op) {
    return fmt::format("{}-{}", core_name(core), op.use.name);
}

std::string two_digits(const Json& value) {
    if (value.is_number_float()) return fmt::format("{:.2f}", value.get<double>());
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string GraphRun::folder() const {
    return fmt::format("device/{:04}_{}/{:04}_{}", program_id, file_name(program), local_id, file_name(graph));
}

std::optional<GraphTimes> graph_times(const GraphRun& run) {
    GraphTimes times;
    bool any = false;
    for (const OpMeasure* op : run.ops)
        for (const CoreMeasure& core : op->cores)
            for (const InputMeasure& input : core.recorded) {
                const std::string label = core_label(core, *op);
                const auto [last, new_last] = times.last_pack.try_emplace(input.input, input.last_pack, label);
                if (!new_last && input.last_pack > last->second.first) last->second = {input.last_pack, label};
                const auto [first, fresh] = times.first_unpacks.try_emplace(input.input, input.first_unpack, label);
                if (!fresh && input.first_unpack < first->second.first) first->second = {input.first_unpack, label};
                any = true;
            }
    if (!any) return std::nullopt;
    times.first_input = times.last_pack.begin()->first;
    times.last_input = times.last_pack.rbegin()->first;
    times.first_unpack = times.first_unpacks.at(times.first_input).first;
    if (times.last_input > times.first_input)
        times.cycles_per_input = static_cast<double>(times.last_pack.at(times.last_input).first -
                                                     times.last_pack.at(times.first_input).first) /
                                 static_cast<double>(times.last_input - times.first_input);
    return times;
}

std::string outer_comma_line(const std::vector<std::string>& cells) {
    std::string text = csv_line(cells);
    return "," + text.insert(text.size() - 1, ",");
}

void write_table(const std::string& folder, const std::string& name, const std::vector<std::string>& titles,
                 const std::vector<std::vector<std::string>>& rows, bool outer_commas) {
    const auto line = [&](const std::vector<std::string>& cells) {
        return outer_commas ? outer_comma_line(cells) : csv_line(cells);
    };
    std::string csv = line(titles);
    std::vector<Table::Column> columns;
    for (const std::string& title : titles) columns.push_back({title, columns.empty() ? false : true});
    Table table(columns);
    for (const auto& row : rows) {
        csv += line(row);
        std::vector<std::string> whole = row;
        whole.resize(titles.size());
        table.add(std::move(whole));
    }
    write_text(folder, name + ".csv", csv);
    write_text(folder, name + ".txt", table.text());
}

}  // namespace ttsim::impl::report
