#include "analysis/advice/measure.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace ttsim::impl::advice {

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

/// Minimum number of causes to simulate, since causes with a small share may have the largest gain.
constexpr std::size_t least_tried = 6;
/// Gains that differ by less are taken as equal; shares decide between them.
constexpr double same_gain = 0.02;

/// Order of causes: the first `tried` by gain in steps of `same_gain`, the others unchanged.
std::vector<std::size_t> by_gain(const std::vector<std::optional<double>>& gains, std::size_t tried) {
    std::vector<std::size_t> order(gains.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto step = [&](std::size_t n) { return std::floor(std::max(0.0, gains[n].value_or(0)) / same_gain); };
    std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(tried),
                     [&](std::size_t a, std::size_t b) { return step(a) > step(b); });
    return order;
}

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
        case RootKind::Sends:
            return {"sends:" + root.op};
        case RootKind::Entries:
            break;
    }
    return {};
}

}  // namespace

std::vector<std::string> parts_of(const trace::Reason& cause) {
    std::vector<std::string> all;
    for (const Root& member : cause.members)
        for (std::string& part : parts_of(member)) all.push_back(std::move(part));
    return all;
}

void measure(report::AdviceReport& report, WhatIf& what_if) {
    report.why_estimates = what_if.refusal();
    std::vector<trace::Reason>& causes = report.advice.causes;
    const std::size_t tried = std::min(std::max(report.limit, least_tried), causes.size());
    report.measured.assign(std::min(report.limit, causes.size()), std::nullopt);
    if (!what_if.refusal().empty() || what_if.cycles() == 0) return;
    std::vector<std::optional<double>> gains(causes.size());
    for (std::size_t n = 0; n < tried; ++n) {
        const std::vector<std::string> parts = parts_of(causes[n]);
        if (!parts.empty())
            gains[n] = 1 - static_cast<double>(what_if.without(parts)) / static_cast<double>(what_if.cycles());
    }
    const std::vector<std::size_t> order = by_gain(gains, tried);
    std::vector<trace::Reason> sorted;
    for (const std::size_t n : order) sorted.push_back(std::move(causes[n]));
    for (std::size_t n = 0; n < report.measured.size(); ++n) report.measured[n] = gains[order[n]];
    causes = std::move(sorted);
}

std::vector<Without> without_each(const std::vector<std::string>& parts, WhatIf& what_if) {
    std::vector<Without> all;
    for (const std::string& part : parts) all.push_back({part, what_if.without({part})});
    if (parts.size() > 1) all.push_back({fmt::format("{}", fmt::join(parts, ", ")), what_if.without(parts)});
    return all;
}

}  // namespace ttsim::impl::advice
