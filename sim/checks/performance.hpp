// The netlist's performance-check section: comparison of expected and measured figures.
//
// Figures, as docs/netlist.md has them: cycles-per-tensor is the time from a graph's first input to its last, each
// taken when the last of its cores has packed it, divided by the inputs between; tensors-per-second is the clock
// divided by it. execution-cycles is first unpack to last pack of one input on one core, math-utilization the
// percentage of it in which FPU or SFPU is busy; both are averages over the target cores and target inputs. output-bw
// (input0-bw) is what a core packs (unpacks) between its first and last input, by their last packs (first unpacks), in
// GB/s (10^9 bytes), average over the target cores. backend-samples-per-second counts the inputs of the graph with most
// of them over the whole run.
#pragma once

#include <string>
#include <vector>

#include "sim/state/report.hpp"

namespace ttsim::impl::sim {

/// Throws Error(Input) when the section names programs or ops that do not exist. Returns a note for each check that is
/// skipped because its graph does not exist.
std::vector<std::string> check_performance_names(const Netlist& netlist);
std::vector<PerformanceFigure> measure(const Netlist& netlist, const RunReport& report, const InputRecord& record);

}  // namespace ttsim::impl::sim
