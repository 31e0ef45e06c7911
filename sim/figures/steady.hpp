// How fast inputs leave once the pipeline is full.
#pragma once

#include "base/figures.hpp"

namespace ttsim::impl::sim {

struct RunReport;
/// The figures of a whole run from those of its graphs: steady and end-to-end rate, latency.
void sum_up(RunReport& report);
/// Of a compiled model: its samples count, and what its host took. Where the host did all, the chips have no rates.
void count_host(RunReport& report, std::int64_t samples, double host_seconds, bool all_on_host);

}  // namespace ttsim::impl::sim
