// Report of causes of lost time in a trace, with remedies: text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/advice.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::report {

struct AdviceReport {
    trace::Advice advice;
    std::optional<Netlist> netlist;  ///< netlist of the trace, if it can be read
    std::size_t limit = 5;           ///< maximum number of reported causes
    /// By cause: fraction of the run's cycles saved in a simulation without it; empty: nothing was simulated.
    std::vector<std::optional<double>> measured = {};
    std::string why_estimates = {};  ///< why nothing could be simulated; "" otherwise
};
AdviceReport advice_report(trace::Reader& trace, std::size_t limit);

/// One paragraph per cause; the first line has cause, place and share.
std::string text(const AdviceReport& report);
std::string json(const AdviceReport& report);

}  // namespace ttsim::impl::report
