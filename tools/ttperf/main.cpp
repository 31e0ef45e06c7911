// ttperf: first analysis of a trace. Where did the cycles go?
#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <optional>

#include "report/trace_report.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/usage.hpp"

namespace {

using namespace tt;

struct Flags {
    std::string file;
    std::optional<std::int64_t> epoch;
    bool resources = false, csv = false, json = false;
};

report::TraceReport wanted(trace::Reader& reader, const Flags& flags) {
    if (flags.resources) return report::resources_report(reader);
    return flags.epoch ? report::epoch_report(reader, *flags.epoch) : report::epochs_report(reader);
}

void analyse(const Flags& flags) {
    cli::want(cli::InputKind::Trace, flags.file, "ttperf");
    trace::Reader reader(flags.file);
    const report::TraceReport report = wanted(reader, flags);
    cli::print_text(flags.json  ? report::json(report)
                    : flags.csv ? report::csv(report)
                                : report::text(report, cli::report_width()));
}

int parse_and_run(int argc, char** argv) {
    Flags flags;
    CLI::App app{
        "Analyses a trace that 'ttsim run NETLIST --trace FILE.ttperf' wrote.\n"
        "Without --epoch: the run and its epochs, with the op that limits each."};
    app.name("ttperf");
    app.set_version_flag("--version", "ttperf " TTSIM_VERSION);
    app.add_option("trace", flags.file, "Trace file")->required()->type_name("FILE");
    CLI::Option* epoch =
        app.add_option("--epoch", flags.epoch, "The ops of that epoch, as numbered in the summary")
            ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()).description(""))
            ->type_name("N");
    app.add_flag("--resources", flags.resources,
                 "NoC links, DRAM channels, Ethernet links and PCIe of the whole run, busiest first")
        ->excludes(epoch);
    CLI::Option* csv = app.add_flag("--csv", flags.csv, "Comma-separated values, one title line");
    app.add_flag("--json", flags.json, "One JSON object")->excludes(csv);
    app.footer(
        "Columns of the op table, in cycles per input of the op's slowest core:\n"
        "  est        the busiest of unpack, math and pack alone\n"
        "  kernel     the three together; inputs always there, room for outputs always there\n"
        "  bw_kernel  as simulated, with the op's own transfers, without waits for other ops\n"
        "  cycles     as simulated, everything included\n"
        "  limits     the largest part of bw_kernel: math, unpack, pack, input NoC, input DRAM, output\n"
        "  for input, for room: share of cycles in which producers or consumers kept it waiting\n"
        "  need, got  bytes per cycle of one core at kernel speed, and as simulated\n\n"
        "Exit codes: 0 success, 2 wrong input, 70 a bug in ttperf\n\n"
        "Examples:\n"
        "  ttsim run encoder.yaml --mode timing --trace encoder.ttperf\n"
        "  ttperf encoder.ttperf\n"
        "  ttperf encoder.ttperf --epoch 0\n"
        "  ttperf encoder.ttperf --epoch 0 --csv > ops.csv\n"
        "  ttperf encoder.ttperf --resources --json");
    cli::add_colour_flag(app);
    if (const auto done = cli::parse(app, argc, argv)) return *done;
    analyse(flags);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_tool([&] { return parse_and_run(argc, argv); });
}
