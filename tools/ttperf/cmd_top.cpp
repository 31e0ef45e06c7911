// ttperf top: the ops of a whole run, costliest first.
#include <memory>
#include <optional>
#include <string>

#include "analysis/trace_report/top_report.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttperf/commands.hpp"

namespace ttsim::impl::cli {

namespace {

struct TopFlags {
    std::string file, sort = "total";
    std::optional<std::size_t> limit;
    bool csv = false, json = false;
};

void top(const TopFlags& flags) {
    require_kind(InputKind::Trace, flags.file, "ttperf top");
    trace::Reader reader(flags.file);
    const report::TopReport report = report::top_report(reader, flags.sort, flags.limit);
    print_text(flags.json  ? report::json(report)
               : flags.csv ? report::csv(report)
                           : report::text(report, report_width()));
}

constexpr const char* top_footer =
    "total is bw_kernel times inputs: cycles of kernels and transfers of the op's slowest core, without waits for\n"
    "other ops. The other columns are those of 'ttperf TRACE --epoch N', averaged over all launches.\n\n"
    "Exit codes: 0 success, 2 wrong input, 70 a bug in ttperf, 71 out of memory\n\n"
    "Examples:\n"
    "  ttperf top encoder.ttperf\n"
    "  ttperf top encoder.ttperf --sort wait_room_share --limit 5\n"
    "  ttperf top encoder.ttperf --csv > ops.csv";

}  // namespace

void add_top(CLI::App& app) {
    const auto flags = std::make_shared<TopFlags>();
    CLI::App* command = app.add_subcommand("top", "The ops of the whole run, costliest first");
    command->add_option("trace", flags->file, "Trace file")->required()->type_name("FILE");
    std::string names;
    for (const std::string& name : report::top_columns()) names += (names.empty() ? "" : "|") + name;
    command->add_option("--sort", flags->sort, "Column to sort by; numbers in descending order. Default: total")
        ->check(one_of(report::top_columns()))
        ->type_name(names);
    command->add_option("--limit", flags->limit, "Maximum number of ops")
        ->check(in_range(std::size_t{1}, std::size_t{1} << 32U))
        ->type_name("N");
    CLI::Option* csv = command->add_flag("--csv", flags->csv, "Print comma-separated values with one title line");
    command->add_flag("--json", flags->json, "Print one JSON object")->excludes(csv);
    command->footer(top_footer);
    command->callback([flags] { top(*flags); });
}

}  // namespace ttsim::impl::cli
