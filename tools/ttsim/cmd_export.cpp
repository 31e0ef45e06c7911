// ttsim export: converts a trace to the formats of other programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>
#include <memory>

#include "analysis/exports/exports.hpp"
#include "analysis/exports/perfetto.hpp"
#include "base/command_files.hpp"
#include "base/deflate.hpp"
#include "base/new_file.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

struct ExportFlags {
    std::string trace, out;
    std::string perfetto, ops_csv, op_perf, perf_results, npe, visualizer, debuda;
    std::string window;
    trace::PerfettoOptions perfetto_options;
    report::NpeOptions npe_options;
    struct Format {
        const char* flag;
        std::string ExportFlags::*path;
    };
    static const std::vector<Format>& formats() {
        static const std::vector<Format> all{
            {"--perfetto", &ExportFlags::perfetto}, {"--ops-csv", &ExportFlags::ops_csv},
            {"--op-perf", &ExportFlags::op_perf},   {"--perf-results", &ExportFlags::perf_results},
            {"--npe", &ExportFlags::npe},           {"--visualizer", &ExportFlags::visualizer},
            {"--debuda", &ExportFlags::debuda}};
        return all;
    }
};

/// Parses "1000:5000", "1000:" or ":5000".
void finish_window(ExportFlags& flags) {
    const std::string& text = flags.window;
    if (text.empty()) return;
    const std::size_t colon = text.find(':');
    report::Window window;
    const auto number = [&](std::size_t from, std::size_t to, std::int64_t& value) {
        if (from == to) return true;
        const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
        return error == std::errc() && end == text.data() + to && value >= 0;
    };
    if (colon == std::string::npos || !number(0, colon, window.first) || !number(colon + 1, text.size(), window.end) ||
        window.first >= window.end)
        throw CLI::ValidationError("--cycles", fmt::format("'{}' must be FIRST:END, such as 10000:20000", text));
    flags.npe_options.window = window;
    flags.perfetto_options.first = window.first;
    flags.perfetto_options.end = window.end;
}

/// Finds the trace: with -o it is the value of the single format given.
void finish_paths(ExportFlags& flags) {
    std::vector<std::string> given;
    std::string ExportFlags::*path = nullptr;
    for (const auto& [flag, member] : ExportFlags::formats())
        if (!(flags.*member).empty()) {
            given.emplace_back(flag);
            path = member;
        }
    if (given.empty()) {
        std::vector<std::string> known;
        for (const auto& format : ExportFlags::formats()) known.emplace_back(format.flag);
        throw CLI::RequiredError(fmt::format("a format ({})", fmt::join(known, ", ")));
    }
    if (!flags.out.empty()) {
        if (given.size() > 1 || !flags.trace.empty())
            throw CLI::ValidationError("-o", fmt::format("use it with one format and no other file: 'ttsim export {} "
                                                         "TRACE -o {}'; or else give each format its own file",
                                                         given.front(), flags.out));
        flags.trace = std::exchange(flags.*path, flags.out);
        register_input(flags.trace);
    }
    if (flags.trace.empty())
        throw CLI::RequiredError(fmt::format("TRACE ('ttsim export TRACE {} {}')", given.front(), flags.*path));
}

/// The command as typed, without the trace at its end.
std::string typed_before_trace(const ExportFlags& flags) {
    std::string text = "ttsim export";
    if (!flags.out.empty()) text += " -o " + flags.out;
    for (const auto& [flag, path] : ExportFlags::formats())
        if (!(flags.*path).empty()) text += fmt::format(" {}{}", flag, flags.out.empty() ? " " + flags.*path : "");
    return text;
}

void write_file(const std::string& path, FileKind kind, const std::function<void(const report::Sink&)>& pieces) {
    const OutputFile out(path, kind);
    out.write_pieces([&](const OutputFile::Sink& sink) { pieces(sink); });
}

template <class Write>
void write_folder(const std::string& path, const FolderKind& kind, Write&& write) {
    NewFolder folder(path, kind);
    write(folder.temporary());
    folder.commit();
}

void write_exports(const ExportFlags& flags) {
    if (!flags.perfetto.empty()) {
        trace::Reader trace(flags.trace);
        write_file(flags.perfetto, FileKind::Json, [&](const report::Sink& sink) {
            trace::PerfettoOptions options = flags.perfetto_options;
            options.protobuf = flags.perfetto.ends_with(".pftrace");
            if (!flags.perfetto.ends_with(".gz")) return trace::export_perfetto(trace, options, sink);
            GzipWriter gzip(sink);
            trace::export_perfetto(trace, options, [&](std::string_view text) { gzip.add(text); });
            gzip.end();
        });
    }
    if (flags.ops_csv.empty() && flags.op_perf.empty() && flags.perf_results.empty() && flags.npe.empty() &&
        flags.visualizer.empty() && flags.debuda.empty())
        return;
    report::ExportSource source(flags.trace);
    if (!flags.ops_csv.empty())
        write_file(flags.ops_csv, FileKind::Csv,
                   [&, text = report::ops_csv(source)](const report::Sink& sink) { sink(text); });
    if (!flags.op_perf.empty()) report::write_op_perf(source, flags.op_perf);
    if (!flags.perf_results.empty())
        write_folder(flags.perf_results, perf_results_folder(), [&](const std::string& folder) {
            report::write_perf_results(source, folder, std::filesystem::absolute(flags.perf_results).string());
        });
    if (!flags.npe.empty())
        write_file(flags.npe, FileKind::Json,
                   [&](const report::Sink& sink) { report::write_npe(source, flags.npe_options, sink); });
    if (!flags.visualizer.empty())
        write_folder(flags.visualizer, visualizer_folder(),
                     [&](const std::string& folder) { report::write_visualizer(source, folder); });
    if (!flags.debuda.empty())
        write_folder(flags.debuda, debuda_folder(), [&](const std::string& folder) {
            report::write_debuda(source, folder, std::filesystem::absolute(flags.debuda).string());
        });
}

void add_formats(ExportFlags& flags, Outputs& outputs) {
    outputs.file("--perfetto", flags.perfetto, FileKind::Json,
                 "For ui.perfetto.dev: cores with their waits, NoCs, DRAM, queues and the host. A name that ends in "
                 ".pftrace: the smallest file; else JSON, also for chrome://tracing, compressed if the name ends in "
                 ".gz; with --trace-level 2 also steps, and arrows from pack to arrival");
    outputs.file("--ops-csv", flags.ops_csv, FileKind::Csv,
                 "ops_perf_results.csv for tt-perf-report and ttnn-visualizer (chips that tt-perf-report supports)");
    outputs.folder_of_files("--op-perf", flags.op_perf,
                            "Folder for op_perf.csv and balancer_score.csv with the compiler's estimates");
    outputs.folder("--perf-results", flags.perf_results, perf_results_folder(),
                   "Folder for the tree perf_results/, read by the vendor's analyzer and scripts");
    outputs.file("--npe", flags.npe, FileKind::Json,
                 "Timeline for the NPE page of ttnn-visualizer: every transfer with its route (needs --trace-level 2)");
    outputs.folder("--visualizer", flags.visualizer, visualizer_folder(),
                   "Folder for db.sqlite, config.json and cluster_descriptor.yaml of ttnn-visualizer");
    outputs.folder("--debuda", flags.debuda, debuda_folder(),
                   "Folder for runtime_data.yaml and a pipegen.yaml per temporal epoch, read by the vendor's debugger");
}

}  // namespace

void add_export(CLI::App& app) {
    auto flags = std::make_shared<ExportFlags>();
    CLI::App* command = app.add_subcommand("export", "Convert a trace into files for other programs");
    command->add_option("trace", flags->trace, "Trace to export ('ttsim run NETLIST --trace FILE')")
        ->type_name("TRACE");
    auto outputs = std::make_shared<Outputs>(*command);
    add_formats(*flags, *outputs);
    outputs->add_alias(command
                           ->add_option("-o,--output", flags->out,
                                        "Output of a single format, whose value is then the trace: "
                                        "--npe TRACE -o FILE; '-' = standard output")
                           ->type_name("FILE|DIR"));
    command
        ->add_option("--cycles", flags->window,
                     "For --perfetto and --npe: only events between these cycles of the run. Default: all")
        ->type_name("FIRST:END");
    command
        ->add_option("--links", flags->perfetto_options.least_percent,
                     "For --perfetto: omit NoC links that are never busier than this percentage. Default: 10")
        ->check(in_range(0.0, 100.0))
        ->type_name("PERCENT");
    command
        ->add_option("--npe-step", flags->npe_options.step_cycles,
                     "For --npe: cycles per step. Default: as many as result in a thousand steps")
        ->check(in_range(std::int64_t{1}, std::int64_t{1} << 40))
        ->type_name("N");
    command->footer(
        "Examples:\n"
        "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf --trace-level 2\n"
        "  ttsim export encoder.ttperf --perfetto encoder.json --perf-results perf_results\n"
        "  ttsim export --npe encoder.ttperf -o encoder.npeviz --cycles 0:20000\n"
        "  ttsim export encoder.ttperf --visualizer memory");
    command->callback([flags, outputs] {
        finish_paths(*flags);
        finish_window(*flags);
        outputs->claim();
        require_kind(InputKind::Trace, flags->trace, typed_before_trace(*flags));
        write_exports(*flags);
    });
}

}  // namespace ttsim::impl::cli
