// Rates and latency of a run: steady rate (pipeline full), end-to-end rate.
#pragma once

#include "base/figures.hpp"

namespace ttsim::impl::sim {

struct RunReport;
/// Computes the rates and latency of a run from its graphs.
void summarize(RunReport& report);
/// Rates of a compiled model: counts samples and adds the host's time. When the host computes everything, the chips
/// have no rates.
void count_host(RunReport& report, std::int64_t samples, double host_seconds, bool all_on_host);

}  // namespace ttsim::impl::sim
