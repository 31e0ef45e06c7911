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

/// Idealizes what a root cause names; leaves `resources` as they are if it cannot be removed.
void remove_root(const Root& root, sim::IdealizedResources& resources) {
    switch (root.kind) {
        case RootKind::Op:
            resources.ops.insert(root.op);
            return;
        case RootKind::Dram:
            resources.dram_channels.insert(root.channel);
            return;
        case RootKind::Writes:
            resources.dram = true;
            return;
        case RootKind::Host:
            resources.host = true;
            return;
        case RootKind::Ethernet:
            resources.ethernet = true;
            return;
        case RootKind::NocLink:
            resources.noc = true;
            return;
        case RootKind::Pipe:
            resources.pipes.insert(root.other);
            return;
        case RootKind::Reads:
            resources.pipes.insert(root.op);
            return;
        case RootKind::Buffer:
            resources.room.insert({root.op, root.other});
            return;
        case RootKind::Load:
            resources.load = true;
            return;
        case RootKind::Sends:
            resources.sends.insert(root.op);
            return;
        case RootKind::Entries:
            return;
    }
}

}  // namespace

sim::IdealizedResources without_cause(const trace::Reason& cause) {
    sim::IdealizedResources resources;
    for (const Root& member : cause.members) remove_root(member, resources);
    return resources;
}

void measure(report::AdviceReport& report, WhatIf& what_if) {
    report.why_estimates = what_if.refusal();
    std::vector<trace::Reason>& causes = report.advice.causes;
    const std::size_t tried = std::min(std::max(report.limit, least_tried), causes.size());
    report.measured.assign(std::min(report.limit, causes.size()), std::nullopt);
    if (!what_if.refusal().empty() || what_if.cycles() == 0) return;
    std::vector<std::optional<double>> gains(causes.size());
    for (std::size_t n = 0; n < tried; ++n) {
        const sim::IdealizedResources removed = without_cause(causes[n]);
        if (removed.any())
            gains[n] = 1 - static_cast<double>(what_if.without(removed)) / static_cast<double>(what_if.cycles());
    }
    const std::vector<std::size_t> order = by_gain(gains, tried);
    std::vector<trace::Reason> sorted;
    for (const std::size_t n : order) sorted.push_back(std::move(causes[n]));
    for (std::size_t n = 0; n < report.measured.size(); ++n) report.measured[n] = gains[order[n]];
    causes = std::move(sorted);
}

std::vector<Without> without_each(const std::vector<std::string>& parts, WhatIf& what_if) {
    std::vector<Without> all;
    for (const std::string& part : parts)
        all.push_back({part, what_if.without(sim::parse_idealized_resources({part}))});
    if (parts.size() > 1)
        all.push_back(
            {fmt::format("{}", fmt::join(parts, ", ")), what_if.without(sim::parse_idealized_resources(parts))});
    return all;
}

}  // namespace ttsim::impl::advice
