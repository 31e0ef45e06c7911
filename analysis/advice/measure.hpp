// Measures the cost of causes by simulating the run without each of them.
#pragma once

#include "analysis/advice/what_if.hpp"
#include "analysis/trace_report/advice_report.hpp"

namespace ttsim::impl::advice {

/// Idealized resources that remove a cause; none of them: the cause cannot be removed.
sim::IdealizedResources without_cause(const trace::Reason& cause);

/// Sets `measured` of the reported causes, or the reason why nothing was measured.
void measure(report::AdviceReport& report, WhatIf& what_if);

/// Cycles of the run with each of these resources idealized, and with all; names as for
/// sim::parse_idealized_resources().
struct Without {
    std::string parts;
    std::uint64_t cycles = 0;
};
std::vector<Without> without_each(const std::vector<std::string>& parts, WhatIf& what_if);

}  // namespace ttsim::impl::advice
