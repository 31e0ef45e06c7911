// ttperf advice: what holds a run back, and what to try.
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

/// The run without some of its parts, and nothing else.
void tell_without(trace::Reader& reader, const AdviceFlags& flags) {
    advice::WhatIf again(reader, flags.cluster);
    if (!again.refusal().empty()) fail_input({flags.file, 0, 0}, "it cannot be run again: {}", again.refusal());
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
    want(InputKind::Trace, flags.file, "ttperf advice");
    trace::Reader reader(flags.file);
    if (!flags.without.empty()) return tell_without(reader, flags);
    report::AdviceReport report = report::advice_report(reader, flags.limit);
    if (!flags.estimate) {
        advice::WhatIf what_if(reader, flags.cluster);
        advice::measure(report, what_if);
    }
    print_text(flags.json ? report::json(report) : report::text(report));
}

constexpr const char* advice_footer =
    "Waits are followed to their roots: from an op that waits for tiles to its producer, from one that waits for room\n"
    "to its consumer, until an op works, a channel or link is busy, a transfer is slow, or a ring of waits shows a\n"
    "buffer that is too small. Shares are of the time in which ops were at work; the first load of each epoch and "
    "what\n"
    "the host fetches after the last one are left out.\n\n"
    "What a cause costs is simulated: the netlist that the trace holds runs again without it; the dearest comes "
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
    CLI::App* command = app.add_subcommand("advice", "What holds the run back, what costs most first, and what to try");
    command->add_option("trace", flags->file, "Trace file")->required()->type_name("FILE");
    command->add_option("--limit", flags->limit, "So many causes at most. Default: 5")
        ->check(in_range(std::size_t{1}, std::size_t{1} << 32U))
        ->type_name("N");
    command
        ->add_option("--what-if", flags->without,
                     "Only: cycles of the run without these, each alone and all together, of noc, eth, host, load, "
                     "dram, dram:CHANNEL, op:NAME, pipes:NAME (what comes into an op), "
                     "sends:NAME (what it sends to others), room:NAME (more buffers around "
                     "an op)")
        ->delimiter(',')
        ->type_name("PART,...");
    command->add_flag("--estimate", flags->estimate, "Simulate nothing: gains are estimates from the trace");
    command->add_option("--cluster", flags->cluster, "The file that the run was given")->type_name("FILE");
    command->add_flag("--json", flags->json, "One JSON object");
    command->footer(advice_footer);
    command->callback([flags] { advise(*flags); });
}

}  // namespace ttsim::impl::cli
