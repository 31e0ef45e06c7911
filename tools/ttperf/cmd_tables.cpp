// ttperf TRACE: screens and tables of a trace.
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "analysis/trace_report/advice_report.hpp"
#include "analysis/trace_report/perf_file.hpp"
#include "analysis/trace_report/trace_report.hpp"
#include "base/error.hpp"
#include "base/read_file.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttperf/application.hpp"
#include "tools/ttperf/commands.hpp"
#include "tools/ttperf/epoch_screens.hpp"

namespace ttsim::impl::cli {

namespace {

struct TableFlags {
    std::string file, netlist, estimates, save, load, screens;
    std::optional<std::int64_t> epoch;
    bool resources = false, csv = false, json = false, text = false, spatial = false, write_screens = false;
    /// Options of screens only: the text of a screen is printed.
    bool wants_sheets() const { return !load.empty() || !estimates.empty() || spatial; }
    bool wants_tables() const { return text || csv || json || resources || epoch; }
};

report::TraceReport report_of(trace::Reader& reader, const TableFlags& flags) {
    if (flags.resources) return report::resources_report(reader);
    return flags.epoch ? report::epoch_report(reader, *flags.epoch) : report::epochs_report(reader);
}

void print_tables(const TableFlags& flags) {
    trace::Reader reader(flags.file);
    const report::TraceReport report = report_of(reader, flags);
    print_text(flags.json  ? report::json(report)
               : flags.csv ? report::csv(report)
                           : report::text(report, report_width()));
}

/// Checks -n against the netlist in the trace.
void check_netlist(const TableFlags& flags) {
    if (flags.netlist.empty()) return;
    require_kind(InputKind::Netlist, flags.netlist, "ttperf TRACE -n");
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    const std::string text = read_file(flags.netlist, most);
    trace::Reader reader(flags.file);
    if (text != report::netlist_text(reader))
        fail_input({flags.netlist, 0, 0}, "is not the netlist in {}; omit -n, or run the netlist again with --trace",
                   flags.file);
}

std::unique_ptr<report::PerfView> read_view(const TableFlags& flags) {
    trace::PerfData data = flags.load.empty() ? report::read_perf(flags.file) : report::load_perf(flags.load);
    if (!flags.estimates.empty()) data.estimates = report::read_estimates(flags.estimates);
    return std::make_unique<report::PerfView>(std::move(data), flags.spatial);
}

/// Causes with gains that are estimated from the trace, since simulations would keep the screen waiting.
std::vector<std::string> advice_lines(const TableFlags& flags) {
    if (flags.file.empty()) return {"A saved file has no waits. Open the trace itself: ttperf TRACE"};
    std::vector<std::string> lines;
    try {
        trace::Reader reader(flags.file);
        constexpr std::size_t causes = 20;
        std::istringstream text(report::text(report::advice_report(reader, causes)));
        for (std::string line; std::getline(text, line);) lines.push_back(line);
        lines.push_back("'ttperf advice " + flags.file + "' simulates the gains.");
    } catch (const Error& error) {
        lines.push_back("cannot be read: " + error.message());
    }
    return lines;
}

/// Writes files, prints tables or a screen, or runs the analyzer.
int run_tables(const TableFlags& flags) {
    if (flags.load.empty()) require_kind(InputKind::Trace, flags.file, "ttperf");
    check_netlist(flags);
    const bool files = !flags.save.empty() || flags.write_screens;
    if (!files && (flags.wants_tables() || !has_terminal())) {
        if (flags.wants_sheets())
            print_text(report::text(report::summary_sheet(*read_view(flags))));
        else
            print_tables(flags);
        return 0;
    }
    if (!files) return run_analyzer([&] { return read_view(flags); }, [&] { return advice_lines(flags); });
    const std::unique_ptr<report::PerfView> view = read_view(flags);
    if (!flags.save.empty()) OutputFile(flags.save, FileKind::Json).write(report::saved_text(view->data));
    if (flags.write_screens) write_epoch_screens(*view, flags.screens.empty() ? "." : flags.screens);
    return 0;
}

constexpr const char* footer =
    "Columns of the op table, in cycles per input of the op's slowest core:\n"
    "  est        the busiest of unpack, math and pack alone\n"
    "  kernel     the three together, with inputs and output buffers always available\n"
    "  bw_kernel  as simulated, including the op's own transfers, without waits for other ops\n"
    "  cycles     as simulated, with all waits\n"
    "  limits     the largest part of bw_kernel: math, unpack, pack, input NoC, input DRAM, output\n"
    "  for input, for room: share of cycles spent waiting for producers or consumers\n"
    "  need, got  bytes per cycle of one core: required at kernel speed, and as simulated\n\n"
    "Keys of the screens: E epoch, P N previous and next, S summary, A advice, F full names, Enter open,\n"
    "D resources, C cores, X estimates, / filter, < > sort, H help, R reload, Q quit.\n\n"
    "Exit codes: 0 success, 2 wrong input, 70 a bug in ttperf, 71 out of memory, 130 ended by a signal\n\n"
    "Examples:\n"
    "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf\n"
    "  ttperf encoder.ttperf\n"
    "  ttperf encoder.ttperf --epoch 0\n"
    "  ttperf encoder.ttperf --epoch 0 --csv > ops.csv\n"
    "  ttperf encoder.ttperf --resources --json\n"
    "  ttperf encoder.ttperf --save encoder.json && ttperf --load encoder.json\n"
    "  ttperf encoder.ttperf --save_epoch_screens before";

/// Options of the screens: their data, and their output files.
void add_screen_flags(CLI::App& app, TableFlags& flags, Outputs& outputs, CLI::Option* trace) {
    app.add_flag("--text", flags.text, "Print tables even on a terminal");
    app.add_flag("-s,--spatial_epochs", flags.spatial,
                 "Show a row for each graph, instead of one row for graphs that run together on several chips "
                 "(..._temporal_epoch_N); the overall speed shown is then too low");
    outputs.file("--save", flags.save, FileKind::Json, "Write the data of all screens to a file, and exit");
    app.add_option("--load", flags.load, "Show the screens of a file of --save, without the trace")
        ->type_name("FILE")
        ->excludes(trace);
    app.add_option("--save_epoch_screens", flags.screens,
                   "Write the screens as text, DIR/NETLIST/epoch_summary.txt and epoch_N_details.txt, and exit. "
                   "Default: the current folder")
        ->expected(0, 1)
        ->type_name("DIR");
    app.add_option("-n,--netlist", flags.netlist,
                   "Check that the trace is of this netlist; optional, since a trace contains its netlist")
        ->type_name("FILE")
        ->needs(trace);
    app.add_option("--estimates", flags.estimates,
                   "The compiler's estimates of ops, written by 'ttsim compile MODEL --explain --json FILE'")
        ->type_name("FILE");
}

/// Refuses options of tables together with those of screens: tables support neither saved files nor estimates.
void check_flags(const TableFlags& flags) {
    if (flags.file.empty() && flags.load.empty())
        throw CLI::ValidationError(
            "FILE", "a trace is required; 'ttsim run NETLIST --mode timing --trace FILE.ttperf' writes one");
    if (flags.wants_sheets() && (flags.csv || flags.json || flags.resources || flags.epoch))
        throw CLI::ValidationError("--load, --estimates and --spatial_epochs",
                                   "apply to screens and their text, not to --epoch, --resources, --csv and --json");
}

}  // namespace

void add_tables(CLI::App& app, int& exit_status) {
    const auto flags = std::make_shared<TableFlags>();
    const auto outputs = std::make_shared<Outputs>(app);
    CLI::Option* trace = app.add_option("trace", flags->file, "Trace file")->type_name("FILE");
    CLI::Option* epoch =
        app.add_option("--epoch", flags->epoch, "Show the ops of this epoch, as numbered in the summary")
            ->check(in_range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
            ->type_name("N");
    app.add_flag("--resources", flags->resources,
                 "Show NoC links, DRAM channels, Ethernet links and PCIe of the whole run, busiest first")
        ->excludes(epoch);
    CLI::Option* csv = app.add_flag("--csv", flags->csv, "Print comma-separated values with one title line");
    app.add_flag("--json", flags->json, "Print one JSON object")->excludes(csv);
    add_screen_flags(app, *flags, *outputs, trace);
    app.footer(footer);
    // a subcommand has its own callback
    app.callback([&app, &exit_status, flags, outputs] {
        if (!app.get_subcommands().empty()) return;
        flags->write_screens = app.count("--save_epoch_screens") > 0;
        check_flags(*flags);
        outputs->claim();
        exit_status = run_tables(*flags);
    });
}

}  // namespace ttsim::impl::cli
