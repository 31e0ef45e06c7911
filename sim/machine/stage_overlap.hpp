// Overlap of the three stages of a core: when the next step may start, and when a step is packed.
#pragma once

#include <algorithm>

#include "netlist/plan/plan.hpp"
#include "sim/machine/calendar.hpp"

namespace ttsim::impl::sim {

struct StageOverlap {
    Cycle work_end, pack_end, next_start;
};

/// Unpack and math run concurrently, limited by the slower. Pack uses the other half of Dst, so the next step may start
/// once the pack of this step has started. `pack_free`: cycle in which the packer has finished the previous step.
inline StageOverlap overlap_stages(const StepTime& time, Cycle start, Cycle pack_free) {
    StageOverlap overlap{};
    overlap.work_end = start + std::max(time.unpack, time.math).value();
    overlap.pack_end = std::max(std::max(pack_free, start) + time.pack.value(), overlap.work_end);
    overlap.next_start = std::max(overlap.work_end, overlap.pack_end - time.pack.value());
    return overlap;
}

/// Cycles of one input in steady state on one core, with operands always available and output never blocked.
Cycles kernel_cycles(const PlanOp& op);

}  // namespace ttsim::impl::sim
