// Advice on a trace: text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/advice.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::report {

struct AdviceReport {
    trace::Advice advice;
    std::optional<Netlist> netlist;  ///< as it stands in the trace, if it can be read
    std::size_t limit = 5;           ///< causes that are told
    /// By cause: the share of the run's cycles that simulating without it has gained; empty: nothing was simulated.
    std::vector<std::optional<double>> measured = {};
    std::string why_estimates = {};  ///< why nothing could be simulated; "" otherwise
};
AdviceReport advice_report(trace::Reader& trace, std::size_t limit);

/// One paragraph a cause, its first line with cause, place and number.
std::string text(const AdviceReport& report);
std::string json(const AdviceReport& report);

}  // namespace ttsim::impl::report
