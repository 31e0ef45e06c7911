// ttperf advice: what limits a run, and what to try.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/advice/measure.hpp"
#include "analysis/report/table.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttperf/commands.hpp"

namespace ttsim::impl::cli {

namespace {

struct AdviceFlags {
    std::string file;
    std::size_t limit = 5;
    bool json = false, estimate = false;
    std::vector<std::string> without;
    std::string cluster;
};

/// Prints the cycles of the run without the parts of --what-if.
void print_what_if(trace::Reader& reader, const AdviceFlags& flags) {
    advice::WhatIf again(reader, flags.cluster);
    if (!again.refusal().empty()) fail_input({flags.file, 0, 0}, "the run cannot be repeated: {}", again.refusal());
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    report::Table table({{"without", false}, {"cycles"}, {"gain"}});
    table.add({"-", report::grouped(again.cycles()), ""});
    for (const advice::Without& one : advice::without_each(flags.without, again)) {
        const double gain = 1 - static_cast<double>(one.cycles) / static_cast<double>(again.cycles());
        table.add({one.parts, report::grouped(one.cycles), report::percent(gain)});
        rows.push_back({{"without", one.parts}, {"cycles", one.cycles}, {"gain", gain}});
    }
    const nlohmann::ordered_json all{{"cycles", again.cycles()}, {"without", rows}};
    print_text(flags.json ? json_document(all) : table.text(report_width()));
}

void advise(const AdviceFlags& flags) {
    require_kind(InputKind::Trace, flags.file, "ttperf advice");
    trace::Reader reader(flags.file);
    if (!flags.without.empty()) return print_what_if(reader, flags);
    report::AdviceReport report = report::advice_report(reader, flags.limit);
    if (!flags.estimate) {
        advice::WhatIf what_if(reader, flags.cluster);
        advice::measure(report, what_if);
    }
    print_text(flags.json ? report::json(report) : report::text(report));
}

constexpr const char* advice_footer =
    "Waits are followed to their causes: from an op blocked on input to its producer, from one blocked on output to "
    "its\n"
    "consumer. The cause is a busy op, a busy channel or link, a slow transfer, or, in a cycle of waits, a buffer "
    "that\n"
    "is too small. Shares are of the time from the first to the last work of ops: without the first load of each "
    "epoch\n"
    "and what the host reads after the last one.\n\n"
    "The cost of a cause is simulated: the netlist in the trace runs again without it. The costliest cause comes "
    "first.\n\n"
    "Exit codes: 0 success, 2 wrong input, 70 a bug in ttperf, 71 out of memory\n\n"
    "Examples:\n"
    "  ttperf advice encoder.ttperf\n"
    "  ttperf advice encoder.ttperf --limit 1\n"
    "  ttperf advice encoder.ttperf --what-if dram:0,op:softmax.exp\n"
    "  ttperf advice encoder.ttperf --json";

}  // namespace

void add_advice(CLI::App& app) {
    const auto flags = std::make_shared<AdviceFlags>();
    CLI::App* command = app.add_subcommand("advice", "What limits the run, costliest first, and what to try");
    command->add_option("trace", flags->file, "Trace file")->required()->type_name("FILE");
    command->add_option("--limit", flags->limit, "Maximum number of causes. Default: 5")
        ->check(in_range(std::size_t{1}, std::size_t{1} << 32U))
        ->type_name("N");
    command
        ->add_option(
            "--what-if", flags->without,
            "Print only the cycles of the run without these parts, each alone and all together: noc, eth, host, "
            "load, dram, dram:CHANNEL, op:NAME, pipes:NAME (input pipes of an op), "
            "sends:NAME (its output pipes), room:NAME (larger buffers around an op)")
        ->delimiter(',')
        ->type_name("PART,...");
    command->add_flag("--estimate", flags->estimate, "Estimate gains from the trace, without simulation");
    command->add_option("--cluster", flags->cluster, "Cluster descriptor that the run used")->type_name("FILE");
    command->add_flag("--json", flags->json, "Print one JSON object");
    command->footer(advice_footer);
    command->callback([flags] { advise(*flags); });
}

}  // namespace ttsim::impl::cli
