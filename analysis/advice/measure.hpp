// What the causes of an advice really cost: the run is simulated without each of them.
#pragma once

#include "analysis/advice/what_if.hpp"
#include "analysis/trace_report/advice_report.hpp"

namespace ttsim::impl::advice {

/// What is free without a cause, in words of sim::parse_idealized_resources(); empty: nothing stands for it.
std::vector<std::string> parts_of(const trace::Reason& cause);

/// Fills in `measured` of the causes that the report tells, or why nothing was.
void measure(report::AdviceReport& report, WhatIf& what_if);

/// Cycles of the run without each of these alone, and without all: words of sim::parse_idealized_resources().
struct Without {
    std::string parts;
    std::uint64_t cycles = 0;
};
std::vector<Without> without_each(const std::vector<std::string>& parts, WhatIf& what_if);

}  // namespace ttsim::impl::advice
