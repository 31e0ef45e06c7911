// L1 and DRAM that the plans of a run use.
#pragma once

#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

/// Sets `l1_bytes` of the ops and the bytes and shares of `report.memory`, from the plans elaborated so far.
void report_memory(const RunState& state, RunReport& report);

}  // namespace ttsim::impl::sim
