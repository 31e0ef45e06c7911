// What a run of an emitted model on the simulated chip says, for choices that look there and not at an estimate.
#pragma once

#include <functional>
#include <vector>

#include "compiler/backend/emit.hpp"

namespace ttsim::impl::ir {

struct CompileOptions;

/// Clocks of one execute of everything.
struct SimulatedEpoch {
    double cycles = 0;                ///< from its start, with its kernels loaded, to its last output
    std::vector<double> busy_cycles;  ///< of the busiest core of each op, in the order of the netlist's graph
};
struct SimulatedRun {
    double cycles = 0;
    double latency_cycles = 0;           ///< of the first input; loading the first epoch is left out
    std::vector<SimulatedEpoch> epochs;  ///< in the order of the netlist's graphs
};

/// Throws Error(Hang) for a netlist that stands still.
using Simulate = std::function<SimulatedRun(const EmittedModel& model, const CompileOptions& options)>;

}  // namespace ttsim::impl::ir
