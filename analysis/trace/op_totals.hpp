// Totals of the ops of a run, summed over all launches.
#pragma once

#include <string>
#include <vector>

#include "analysis/trace/analysis.hpp"

namespace ttsim::impl::trace {

/// One op over all launches of its graph. Cycles are those of its slowest core.
struct OpTotal {
    std::string name, type, graph;
    std::int64_t chip = 0, grid_r = 0, grid_c = 0;
    std::int64_t launches = 0, inputs = 0, tiles = 0;
    double own_cycles = 0;                                ///< sum of bw_kernel: see OpUse
    double run_share = 0;                                 ///< own_cycles as a fraction of the run's cycles
    double kernel_cycles = 0, bw_kernel_cycles = 0;       ///< per input
    double cycles = 0;                                    ///< per input, including waits for other ops
    double wait_source_cycles = 0, wait_room_cycles = 0;  ///< parts of `cycles`: waits for tiles and for room
    double wait_source_share = 0, wait_room_share = 0;    ///< fractions of `cycles`
    double math_utilization = 0;                          ///< mean over its inputs
    Limit limit = Limit::None;                            ///< limit of the launch with the most own cycles
};

/// Sorted by own cycles, largest first; without ops that ran no input.
std::vector<OpTotal> op_totals(Reader& trace);

}  // namespace ttsim::impl::trace
