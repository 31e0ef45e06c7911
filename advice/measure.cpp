#include "advice/measure.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tt::advice {

using trace::Root;
using trace::RootKind;

namespace {

/// "chip 0 dram 3 first memory" -> "dram:3".
std::string channel_part(const std::string& place) {
    const std::size_t at = place.find(" dram ");
    if (at == std::string::npos) return "dram";
    const std::string rest = place.substr(at + 6);
    const std::string number = rest.substr(0, rest.find_first_not_of("0123456789"));
    return number.empty() ? "dram" : "dram:" + number;
}

}  // namespace

std::vector<std::string> parts_of(const Root& root) {
    switch (root.kind) {
        case RootKind::Op:
            return {"op:" + root.op};
        case RootKind::Dram:
            return {channel_part(root.place)};
        case RootKind::Host:
            return {"host"};
        case RootKind::Ethernet:
            return {"eth"};
        case RootKind::NocLink:
            return {"noc"};
        case RootKind::Pipe:
            return {"pipes:" + root.other};
        case RootKind::Reads:
            return {"pipes:" + root.op};
        case RootKind::Writes:
            return {"dram"};
        case RootKind::Buffer:
            return {"room:" + root.op, "room:" + root.other};
        case RootKind::Load:
            return {"load"};
        case RootKind::Entries:
            break;
    }
    return {};
}

void measure(report::AdviceReport& report, WhatIf& what_if) {
    report.why_estimates = what_if.refusal();
    report.measured.assign(std::min(report.limit, report.advice.causes.size()), std::nullopt);
    if (!what_if.refusal().empty() || what_if.cycles() == 0) return;
    for (std::size_t n = 0; n < report.measured.size(); ++n) {
        const std::vector<std::string> parts = parts_of(report.advice.causes[n].root);
        if (!parts.empty())
            report.measured[n] =
                1 - static_cast<double>(what_if.without(parts)) / static_cast<double>(what_if.cycles());
    }
}

std::vector<Without> without_each(const std::vector<std::string>& parts, WhatIf& what_if) {
    std::vector<Without> all;
    for (const std::string& part : parts) all.push_back({part, what_if.without({part})});
    if (parts.size() > 1) all.push_back({fmt::format("{}", fmt::join(parts, ", ")), what_if.without(parts)});
    return all;
}

}  // namespace tt::advice
