#include "analysis/trace_report/advice_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/table.hpp"
#include "analysis/trace_report/csv.hpp"
#include "analysis/trace_report/perf_file.hpp"
#include "analysis/trace_report/remedies.hpp"
#include "base/json_text.hpp"
#include "netlist/text/reader.hpp"

namespace ttsim::impl::report {

using trace::Reason;
using trace::Root;
using trace::RootKind;

namespace {

/// First words of the line of a cause.
std::string kind_words(const Root& root) {
    switch (root.kind) {
        case RootKind::Op:
        case RootKind::Pipe:
        case RootKind::Reads:
        case RootKind::Writes:
            return "slow";
        case RootKind::Dram:
            return "DRAM";
        case RootKind::Host:
            return "host over";
        case RootKind::Ethernet:
            return "Ethernet link";
        case RootKind::NocLink:
            return "NoC link";
        case RootKind::Buffer:
            return root.fork ? "fork-join: short" : "short";
        case RootKind::Load:
            return "repeated";
        case RootKind::Entries:
            return "late";
        case RootKind::Sends:
            return "slow";
    }
    return "";
}

std::string what_happens(const Reason& cause) {
    const Root& root = cause.root;
    const std::string busy = percent(root.busy),
                      victim = root.victim.empty() ? "" : fmt::format(" of '{}'", root.victim);
    switch (root.kind) {
        case RootKind::Op:
            if (cause.members.size() > 1)
                return fmt::format(
                    "the most expensive is '{}'; they are busy up to {} of the time of their epochs, and others wait",
                    root.op, busy);
            return fmt::format("is busy {} of the time, and others wait for it", busy);
        case RootKind::Dram:
            return fmt::format(
                "the DRAM channel is busy {} of the time with queue '{}' and others; op '{}' waits for it", busy,
                root.other, root.victim);
        case RootKind::Host:
            return fmt::format("host transfers{} are a bottleneck; PCIe is busy {} of the time", victim, busy);
        case RootKind::Ethernet:
            return fmt::format("transfers{} between chips are a bottleneck; the link is busy {} of the time", victim,
                               busy);
        case RootKind::NocLink:
            return fmt::format("the NoC link is busy {} of the time, transfers{} share it", busy, victim);
        case RootKind::Pipe:
            return fmt::format("transfers are slow (reblocking or gathering), and '{}' waits", root.victim);
        case RootKind::Reads:
        case RootKind::Writes:
            return fmt::format("accesses are slow although the channel is busy only {} of the time", busy);
        case RootKind::Buffer:
            return root.fork ? fmt::format("fork-join: '{}' waits for room while '{}' waits for its other branch",
                                           cause.op, cause.other)
                             : fmt::format("'{}' and '{}' alternate: the buffer is too small to overlap them", cause.op,
                                           cause.other);
        case RootKind::Entries:
            return fmt::format("'{}' waits for entries that another epoch writes", cause.op);
        case RootKind::Sends:
            return fmt::format("the link from its core into the NoC is busy {} of the time; '{}' waits", busy,
                               root.victim);
        case RootKind::Load:
            return "kernels and programs are loaded repeatedly while all cores wait";
    }
    return "";
}

/// Text of the resource that is idealized in a simulation without the cause.
std::string left_out(const Root& root) {
    switch (root.kind) {
        case RootKind::Ethernet:
            return "all Ethernet links";
        case RootKind::Host:
            return "all PCIe transfers";
        case RootKind::NocLink:
            return "all NoC links";
        case RootKind::Writes:
            return "all DRAM channels";
        case RootKind::Op:
        case RootKind::Dram:
        case RootKind::Pipe:
        case RootKind::Reads:
        case RootKind::Buffer:
        case RootKind::Load:
        case RootKind::Entries:
        case RootKind::Sends:
            break;
    }
    return "it";
}

/// Measured or estimated gain of the cause number `n`.
std::string gain_words(const AdviceReport& report, std::size_t n) {
    if (n < report.measured.size() && report.measured[n])
        return fmt::format("the run takes {} less time (simulated)", percent(std::max(0.0, *report.measured[n])));
    return fmt::format("the run takes at most {} less time (estimated)",
                       percent(std::max(0.0, report.advice.causes[n].gain)));
}

}  // namespace

AdviceReport advice_report(trace::Reader& trace, std::size_t limit) {
    AdviceReport report{trace::advise(trace), std::nullopt, limit};
    try {
        if (const std::string text = netlist_text(trace); !text.empty())
            report.netlist = read_netlist_text(text, trace.run().netlist);
    } catch (const Error&) {
        // remedies then have no numbers of the netlist
    }
    return report;
}

std::string text(const AdviceReport& report) {
    const trace::Advice& advice = report.advice;
    std::string out;
    for (std::size_t n = 0; n < std::min(report.limit, advice.causes.size()); ++n) {
        const Reason& cause = advice.causes[n];
        const std::vector<std::string> tries = remedies(cause, report.netlist);
        out += fmt::format("{}. {} {}: {} of the time; try {}\n", n + 1, kind_words(cause.root), cause.root.place,
                           percent(cause.share), tries.empty() ? "-" : tries.front());
        out += fmt::format("     {}\n", what_happens(cause));
        out += fmt::format("     without {}: {}\n", left_out(cause.root), gain_words(report, n));
        for (std::size_t t = 1; t < tries.size(); ++t) out += fmt::format("     or {}\n", tries[t]);
    }
    if (advice.causes.empty()) out = "no op ran, so there are no causes\n";
    out += fmt::format("\n{} on {}: {} cycles in which ops were running", advice.run.netlist, advice.run.device,
                       rounded(advice.cycles));
    if (advice.first_load > 0) out += fmt::format("; not included: {} of the first load", rounded(advice.first_load));
    if (advice.after_last > 0) out += fmt::format(", {} after the last epoch", rounded(advice.after_last));
    out += "\n";
    if (!report.why_estimates.empty()) out += fmt::format("note: nothing was simulated: {}\n", report.why_estimates);
    if (advice.run.status != "complete")
        out += fmt::format("note: the run ended early ({}): {}\n", advice.run.status, advice.run.message);
    return out;
}

std::string json(const AdviceReport& report) {
    nlohmann::ordered_json causes = nlohmann::ordered_json::array();
    for (std::size_t n = 0; n < std::min(report.limit, report.advice.causes.size()); ++n) {
        const Reason& cause = report.advice.causes[n];
        nlohmann::ordered_json members = nlohmann::ordered_json::array();
        for (const Root& member : cause.members)
            members.push_back({{"op", member.op}, {"other", member.other}, {"cycles", member.cycles}});
        causes.push_back({{"kind", to_string(cause.root.kind)},
                          {"place", cause.root.place},
                          {"share", cause.share},
                          {"gain", std::max(0.0, cause.gain)},
                          {"estimate", n >= report.measured.size() || !report.measured[n]},
                          {"measured_gain", n < report.measured.size() && report.measured[n]
                                                ? nlohmann::ordered_json(*report.measured[n])
                                                : nlohmann::ordered_json(nullptr)},
                          {"busy", cause.root.busy},
                          {"op", cause.op},
                          {"other", cause.other},
                          {"members", members},
                          {"victim", cause.root.victim},
                          {"epochs", cause.epochs},
                          {"worst_epoch", cause.worst_epoch},
                          {"remedies", remedies(cause, report.netlist)}});
    }
    return json_document({{"netlist", report.advice.run.netlist},
                          {"device", report.advice.run.device},
                          {"status", report.advice.run.status},
                          {"cycles", report.advice.run.cycles},
                          {"shared_out", report.advice.cycles},
                          {"first_load", report.advice.first_load},
                          {"after_last", report.advice.after_last},
                          {"causes", causes}});
}

}  // namespace ttsim::impl::report
