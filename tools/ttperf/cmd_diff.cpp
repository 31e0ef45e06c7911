// ttperf diff: two traces side by side, with an exit code for continuous integration.
#include <charconv>
#include <cmath>
#include <memory>
#include <string>

#include "analysis/trace_report/diff_report.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttperf/commands.hpp"

namespace ttsim::impl::cli {

namespace {

struct DiffFlags {
    std::string before, after, threshold = "5%", fail_on = "epochs";
    std::size_t limit = 20;
    bool csv = false, json = false;
};

/// Converts "5%" or "5" to 0.05.
double share_of(const std::string& words) {
    const std::string number = words.ends_with('%') ? words.substr(0, words.size() - 1) : words;
    double percent = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
    if (error != std::errc{} || end != number.data() + number.size() || !(percent >= 0) || !std::isfinite(percent))
        throw CLI::ValidationError("--threshold", "'" + words + "' is not a percentage, such as 5% or 0.5%");
    return percent / 100;
}

report::FailOn fail_on(const std::string& word) {
    if (word == "run") return report::FailOn::Run;
    return word == "ops" ? report::FailOn::Ops : report::FailOn::Epochs;
}

int diff(const DiffFlags& flags) {
    const double threshold = share_of(flags.threshold);
    for (const std::string& file : {flags.before, flags.after}) require_kind(InputKind::Trace, file, "ttperf diff");
    trace::Reader before(flags.before), after(flags.after);
    const report::DiffReport report{flags.before,           flags.after, trace::diff(before, after), threshold,
                                    fail_on(flags.fail_on), flags.limit};
    print_text(flags.json  ? report::json(report)
               : flags.csv ? report::csv(report)
                           : report::text(report, report_width()));
    return report.slower().empty() ? 0 : 1;
}

constexpr const char* diff_footer =
    "Epochs are matched by the names of their graphs, ops by name and graph, resources by name. Each table starts "
    "with\n"
    "the largest difference. Ops are compared by bw_kernel, their cycles without waits for other ops.\n\n"
    "Exit codes: 0 nothing became slower by more than the threshold, 1 something did, 2 wrong input, 70 a bug in\n"
    "ttperf, 71 out of memory\n\n"
    "Examples:\n"
    "  ttperf diff before.ttperf after.ttperf\n"
    "  ttperf diff before.ttperf after.ttperf --threshold 1% --fail-on run\n"
    "  ttperf diff before.ttperf after.ttperf --csv > changes.csv";

}  // namespace

void add_diff(CLI::App& app, int& exit_status) {
    const auto flags = std::make_shared<DiffFlags>();
    CLI::App* command = app.add_subcommand("diff", "Compare two traces: epochs, ops and resources");
    command->add_option("before", flags->before, "Trace of the baseline")->required()->type_name("FILE");
    command->add_option("after", flags->after, "Trace to compare with it")->required()->type_name("FILE");
    command->add_option("--threshold", flags->threshold, "Ignore differences up to this. Default: 5%")
        ->type_name("PERCENT");
    command
        ->add_option("--fail-on", flags->fail_on,
                     "Exit with 1 if the run is slower by more than the threshold (run), or the run or an epoch "
                     "(epochs, default), or any of these or an op (ops)")
        ->check(one_of({"run", "epochs", "ops"}))
        ->type_name("run|epochs|ops");
    command->add_option("--limit", flags->limit, "Maximum number of rows of each table. Default: 20")
        ->check(in_range(std::size_t{1}, std::size_t{1} << 32U))
        ->type_name("N");
    CLI::Option* csv = command->add_flag("--csv", flags->csv, "Print comma-separated values with one title line");
    command->add_flag("--json", flags->json, "Print one JSON object")->excludes(csv);
    command->footer(diff_footer);
    command->callback([flags, &exit_status] { exit_status = diff(*flags); });
}

}  // namespace ttsim::impl::cli
