#include "tests/fuzz/trace_exports.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/exports/exports.hpp"
#include "analysis/exports/perfetto.hpp"
#include "analysis/page/page.hpp"
#include "analysis/trace_report/advice_report.hpp"
#include "analysis/trace_report/perf_file.hpp"
#include "analysis/trace_report/perf_sheets.hpp"
#include "analysis/trace_report/top_report.hpp"
#include "analysis/trace_report/trace_report.hpp"
#include "base/csv.hpp"
#include "base/yaml_tree.hpp"
#include "sim/run.hpp"
#include "tests/folders.hpp"
#include "tests/netlist/temp_folder.hpp"

namespace ttsim::impl::fuzz {

namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void check_json(const std::string& text, const std::string& what) {
    TT_CHECK(nlohmann::json::accept(text), "{} is JSON: {:.300}", what, text);
}

/// A cell that a spreadsheet would evaluate, or an invalid number.
bool is_bad_cell(std::string cell) {
    while (!cell.empty() && cell.front() == ' ') cell.erase(0, 1);
    if (cell == "nan" || cell == "-nan" || cell == "inf" || cell == "-inf") return true;
    return cell.size() > 1 && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos &&
           !parse_real(cell);
}

/// By RFC 4180: as many cells in each line, quotes closed and none inside a bare cell. Tables after a title line of
/// other width are others.
void check_csv(const std::string& text, const std::string& what) {
    std::size_t at = 0;
    while (at < text.size()) {
        std::string cell;
        for (bool more = true; more;) {
            cell.clear();
            if (text[at] == '"') {
                for (++at;; ++at) {
                    TT_CHECK(at < text.size(), "{}: a quote is not closed", what);
                    if (text[at] == '"' && at + 1 < text.size() && text[at + 1] == '"')
                        cell += text[++at];
                    else if (text[at] == '"')
                        break;
                    else
                        cell += text[at];
                }
                ++at;
            } else {
                for (; at < text.size() && text[at] != ',' && text[at] != '\n'; ++at) cell += text[at];
                TT_CHECK(cell.find_first_of("\"\r") == std::string::npos, "{}: '{}' is not quoted", what, cell);
            }
            TT_CHECK(at < text.size() && (text[at] == ',' || text[at] == '\n'), "{}: '{}' goes on", what, cell);
            TT_CHECK(!is_bad_cell(cell), "{}: the cell '{}'", what, cell);
            more = text[at++] == ',';
        }
    }
}

/// Files of the forms that their names indicate.
void check_files(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        const std::string ending = entry.path().extension().string(), what = entry.path().string();
        if (ending == ".json") check_json(content(entry.path()), what);
        if (ending == ".csv") check_csv(content(entry.path()), what);
        if (ending == ".yaml") (void)load_yaml_file(what);
        if (ending != ".sqlite") continue;
        trace::Database database(what, what, trace::Database::Open::Read);
        trace::Statement check(database, "PRAGMA integrity_check");
        TT_CHECK(check.step() && check.text(0) == "ok", "{} is a database", what);
    }
}

using Export = std::function<void(const std::string& trace, const fs::path& folder)>;

std::string collected(const std::function<void(const report::Sink&)>& write) {
    std::string text;
    constexpr std::size_t most = std::size_t{1} << 26;
    write([&](std::string_view piece) {
        if (text.size() > most) fail_input({}, "more than is looked at");
        text += piece;
    });
    return text;
}

void check_reports(const std::string& file) {
    trace::Reader trace(file);
    std::vector<report::TraceReport> reports{report::epochs_report(trace), report::resources_report(trace)};
    for (const trace::EpochUse& epoch : trace::epochs(trace))
        if (reports.size() < 6) reports.push_back(report::epoch_report(trace, epoch.id));
    for (const report::TraceReport& one : reports) {
        (void)report::text(one, 80);
        check_json(report::json(one), "ttperf --json");
        check_csv(report::csv(one), "ttperf --csv");
    }
    const report::TopReport top = report::top_report(trace, report::top_columns().front(), std::nullopt);
    (void)report::text(top);
    check_json(report::json(top), "ttperf top --json");
    check_csv(report::csv(top), "ttperf top --csv");
}

void check_screens(const std::string& file) {
    const report::PerfView view(report::read_perf(file), false);
    check_json(report::saved_text(view.data), "ttperf --save");
    (void)report::text(report::summary_sheet(view));
    for (std::size_t stage = 0; stage < std::min<std::size_t>(view.stages.size(), 4); ++stage) {
        for (const report::Sheet& sheet : {report::epoch_sheet(view, stage), report::estimates_sheet(view, stage),
                                           report::resources_sheet(view, stage)})
            (void)report::text(sheet);
        (void)report::map_cores(view, stage);
    }
}

const std::vector<Export>& exports() {
    static const std::vector<Export> all{
        [](const std::string& file, const fs::path&) {
            trace::Reader trace(file);
            check_json(collected([&](const report::Sink& sink) { trace::export_perfetto(trace, {}, sink); }),
                       "--perfetto");
        },
        [](const std::string& file, const fs::path&) {
            report::ExportSource source(file);
            check_csv(report::ops_csv(source), "--ops-csv");
        },
        [](const std::string& file, const fs::path& folder) {
            report::ExportSource source(file);
            report::write_op_perf(source, folder.string());
        },
        [](const std::string& file, const fs::path& folder) {
            report::ExportSource source(file);
            report::write_perf_results(source, folder.string(), "perf_results");
        },
        [](const std::string& file, const fs::path&) {
            report::ExportSource source(file);
            check_json(collected([&](const report::Sink& sink) { report::write_npe(source, {}, sink); }), "--npe");
        },
        [](const std::string& file, const fs::path& folder) {
            report::ExportSource source(file);
            report::write_visualizer(source, folder.string());
        },
        [](const std::string& file, const fs::path& folder) {
            report::ExportSource source(file);
            report::write_debuda(source, folder.string(), "debuda");
        },
        [](const std::string& file, const fs::path&) { check_reports(file); },
        [](const std::string& file, const fs::path&) { check_screens(file); },
        [](const std::string& file, const fs::path&) {
            trace::Reader trace(file);
            const report::AdviceReport advice = report::advice_report(trace, 5);
            (void)report::text(advice);
            check_json(report::json(advice), "ttperf advice --json");
        },
        [](const std::string& file, const fs::path&) {
            const nlohmann::ordered_json page = report::page_data({report::trace_source(file)});
            check_json(page.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "report");
        },
    };
    return all;
}

}  // namespace

const std::string& run_trace() {
    static const std::string bytes = [] {
        sim::RunOptions options;
        options.netlist = (test::source_folder() / "tests/fuzz/two_ops.yaml").string();
        options.mode = sim::Mode::Timing;
        options.trace.file = (temp_folder() / "run.ttperf").string();
        options.trace.level = 2;
        options.trace.command = "ttsim run two_ops.yaml";
        fs::remove(options.trace.file);
        (void)sim::run(options);
        return content(options.trace.file);
    }();
    return bytes;
}

Exported export_all(const std::string& trace_file) {
    Exported result;
    for (const Export& one : exports()) {
        const fs::path folder = temp_folder() / "exported";
        fs::remove_all(folder);
        fs::create_directories(folder);
        try {
            one(trace_file, folder);
            check_files(folder);
            ++result.given;
        } catch (const Error& error) {
            if (error.fault() == Fault::Internal) throw;
            ++result.refused;
        }
    }
    return result;
}

}  // namespace ttsim::impl::fuzz
