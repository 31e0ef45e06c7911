#include "analysis/trace_report/diff_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/table.hpp"
#include "analysis/trace_report/csv.hpp"
#include "base/json_text.hpp"

namespace ttsim::impl::report {

using trace::Difference;
using trace::RunInfo;
using Json = nlohmann::ordered_json;

namespace {

using Width = std::optional<std::size_t>;

std::string signed_whole(double number) {
    return (number > 0 ? "+" : number < 0 ? "-" : "") + rounded(std::abs(number));
}

std::string change_text(const Difference& d) {
    if (!d.after) return "gone";
    if (!d.before) return "new";
    const auto change = d.change();
    return change ? fmt::format("{:+.1f} %", 100 * *change) : "-";
}

bool within(const Difference& d, double threshold) {
    return d.common() && std::abs(d.cycles()) <= threshold * *d.before;
}

std::string table_text(const std::string& title, const std::string& measure, const std::vector<Difference>& all,
                       const DiffReport& report, Width width) {
    std::vector<const Difference*> shown;
    for (const Difference& d : all)
        if (!within(d, report.threshold)) shown.push_back(&d);
    std::string text = fmt::format("\n{}, {}: {} of {} differ by more than {:g} %\n", title, measure, shown.size(),
                                   all.size(), 100 * report.threshold);
    if (shown.empty()) return text;
    Table table({{title, false}, {"before"}, {"after"}, {"difference"}, {"change"}});
    for (std::size_t n = 0; n < std::min(report.limit, shown.size()); ++n) {
        const Difference& d = *shown[n];
        table.add({d.name, d.before ? rounded(*d.before) : "-", d.after ? rounded(*d.after) : "-",
                   signed_whole(d.cycles()), change_text(d)});
    }
    text += table.text(width);
    if (shown.size() > report.limit) text += fmt::format("{} more; --limit shows them\n", shown.size() - report.limit);
    return text;
}

std::string side(const char* word, const std::string& file, const RunInfo& run) {
    return fmt::format("{} {}: {} on {}, {} cycles\n", word, file, run.netlist, run.device, grouped(run.cycles));
}

std::string verdict_text(const DiffReport& report) {
    const std::vector<std::string> slower = report.slower();
    const Difference& run = report.diff.cycles;
    if (!slower.empty())
        return fmt::format("\nslower by more than {:g} %: {}\n", 100 * report.threshold, fmt::join(slower, ", "));
    if (within(run, report.threshold)) return fmt::format("\nwithin {:g} %\n", 100 * report.threshold);
    return "\nfaster\n";
}

Json row_json(const char* kind, const Difference& d) {
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    return {{"kind", kind},
            {"name", d.name},
            {"before", number(d.before)},
            {"after", number(d.after)},
            {"difference", d.cycles()},
            {"change", number(d.change())}};
}

Json rows(const char* kind, const std::vector<Difference>& all) {
    Json list = Json::array();
    for (const Difference& d : all) list.push_back(row_json(kind, d));
    return list;
}

Json run_json(const std::string& file, const RunInfo& run) {
    return {{"file", file},         {"netlist", run.netlist}, {"device", run.device},
            {"mode", run.mode},     {"command", run.command}, {"ttsim", run.ttsim},
            {"status", run.status}, {"cycles", run.cycles},   {"clock_mhz", run.clock_mhz}};
}

}  // namespace

std::vector<std::string> DiffReport::slower() const {
    std::vector<std::string> names;
    const auto add = [&](const char* kind, const std::vector<Difference>& all) {
        for (const Difference& d : all)
            if (d.above(threshold)) names.push_back(fmt::format("{}'{}'", kind, d.name));
    };
    if (diff.cycles.above(threshold)) names.emplace_back("the run");
    if (fail_on != FailOn::Run) add("epoch ", diff.epochs);
    if (fail_on == FailOn::Ops) add("op ", diff.ops);
    return names;
}

std::string text(const DiffReport& report, Width width) {
    std::string out =
        side("before", report.before_file, report.diff.before) + side("after ", report.after_file, report.diff.after) +
        fmt::format("run: {} cycles, {}\n", signed_whole(report.diff.cycles.cycles()), change_text(report.diff.cycles));
    for (const std::string& note : report.diff.notes) out += fmt::format("note: {}\n", note);
    out += table_text("epochs", "cycles of all launches", report.diff.epochs, report, width);
    out += table_text("ops", "bw_kernel in cycles per input", report.diff.ops, report, width);
    out += table_text("resources", "busy cycles", report.diff.resources, report, width);
    return out + verdict_text(report);
}

std::string json(const DiffReport& report) {
    return json_document({{"before", run_json(report.before_file, report.diff.before)},
                          {"after", run_json(report.after_file, report.diff.after)},
                          {"threshold", report.threshold},
                          {"notes", report.diff.notes},
                          {"slower", report.slower()},
                          {"run", row_json("run", report.diff.cycles)},
                          {"epochs", rows("epoch", report.diff.epochs)},
                          {"ops", rows("op", report.diff.ops)},
                          {"resources", rows("resource", report.diff.resources)}});
}

std::string csv(const DiffReport& report) {
    Json all = Json::array();
    all.push_back(row_json("run", report.diff.cycles));
    for (const Json& list :
         {rows("epoch", report.diff.epochs), rows("op", report.diff.ops), rows("resource", report.diff.resources)})
        for (const Json& row : list) all.push_back(row);
    return csv_rows(all, {"kind", "name", "before", "after", "difference", "change"});
}

}  // namespace ttsim::impl::report
