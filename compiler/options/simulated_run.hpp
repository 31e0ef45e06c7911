// Results of running an emitted model on the simulated chip, for decisions by measurement instead of estimates.
#pragma once

#include <functional>
#include <vector>

#include "compiler/backend/emit.hpp"

namespace ttsim::impl::ir {

struct CompileOptions;

/// Clocks of an epoch in one execute.
struct SimulatedEpoch {
    double cycles = 0;                ///< from start (with loading of kernels) to last output
    std::vector<double> busy_cycles;  ///< of the busiest core per op, in netlist order
};
struct SimulatedRun {
    double cycles = 0;
    double latency_cycles = 0;           ///< of the first input, without loading the first epoch
    std::vector<SimulatedEpoch> epochs;  ///< in netlist order
};

/// Throws Error(Hang) for a netlist that hangs.
using Simulate = std::function<SimulatedRun(const EmittedModel& model, const CompileOptions& options)>;

}  // namespace ttsim::impl::ir
