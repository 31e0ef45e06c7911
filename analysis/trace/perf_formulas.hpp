// What an analyzer makes of the numbers of ops and epochs: pure functions, without a trace.
#pragma once

#include <string>
#include <vector>

#include "base/figures.hpp"

namespace ttsim::impl::trace {

using ttsim::impl::inputs_per_second;

/// A pipe at one end of an op, in bytes per cycle.
struct PipeRate {
    std::string name;  ///< "noc in0", "dram in1", "host in0", "output"
    double need = 0;   ///< so that the op runs at kernel speed
    double got = 0;    ///< what the pipe carries; 0: unknown
    double slowdown() const { return got > 0 ? need / got : 0; }
};

/// The pipe that slows its op down most; "" where none does.
std::string slowest_pipe(const std::vector<PipeRate>& pipes);
/// Cycles of an op that needs `kernel` of them, slowed down by its slowest pipe.
double bandwidth_bound(double kernel_cycles, const std::vector<PipeRate>& pipes);

/// One op as a part of its epoch.
struct OpShare {
    double cores = 0, cycles = 0, utilization = 0;
};
/// Share of all cores' cycles in which they compute, when the epoch takes `cycles` for an input.
double epoch_utilization(const std::vector<OpShare>& ops, double cycles, double all_cores);

/// One stage of a whole run: cycles per input, and its utilization.
struct StageUse {
    double cycles = 0, utilization = 0;
};
/// Stages one after the other.
StageUse in_sequence(const std::vector<StageUse>& stages);

/// As the original analyzer prints it: whole, with two decimals below 1.
std::string speed_text(double inputs_per_second);

struct Estimate {
    double estimated = 0, found = 0;
};
/// Sum of what estimates are off by, as a share of what was found.
double estimate_error(const std::vector<Estimate>& estimates);

}  // namespace ttsim::impl::trace
