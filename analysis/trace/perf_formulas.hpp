// Formulas of the analyzer for ops and epochs: pure functions, independent of traces.
#pragma once

#include <string>
#include <vector>

#include "base/figures.hpp"

namespace ttsim::impl::trace {

using ttsim::impl::inputs_per_second;

/// An input or output pipe of an op, in bytes per cycle.
struct PipeRate {
    std::string name;  ///< "noc in0", "dram in1", "host in0", "output"
    double need = 0;   ///< needed for the op to run at kernel speed
    double got = 0;    ///< achieved; 0: unknown
    double slowdown() const { return got > 0 ? need / got : 0; }
};

/// Name of the pipe with the largest slowdown; "" when none slows the op down.
std::string slowest_pipe(const std::vector<PipeRate>& pipes);
/// Cycles of an op, limited by its slowest pipe.
double bandwidth_bound(double kernel_cycles, const std::vector<PipeRate>& pipes);

/// An op's part in the utilization of its epoch.
struct OpShare {
    double cores = 0, cycles = 0, utilization = 0;
};
/// Computing fraction of all cores' cycles, when the epoch takes `cycles` per input.
double epoch_utilization(const std::vector<OpShare>& ops, double cycles, double all_cores);

/// One stage of a whole run: cycles per input, and its utilization.
struct StageUse {
    double cycles = 0, utilization = 0;
};
/// Combined figures of stages that run in sequence.
StageUse in_sequence(const std::vector<StageUse>& stages);

/// Formats a rate like the original analyzer: an integer, or two decimals below 1.
std::string speed_text(double inputs_per_second);

struct Estimate {
    double estimated = 0, found = 0;
};
/// Sum of absolute errors, relative to the sum of found values.
double estimate_error(const std::vector<Estimate>& estimates);

}  // namespace ttsim::impl::trace
