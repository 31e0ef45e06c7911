// How the three stages of a core overlap: when a step that starts at `start` makes way for the next, and when it is
// packed.
#pragma once

#include <algorithm>

#include "netlist/plan/plan.hpp"
#include "sim/machine/calendar.hpp"

namespace ttsim::impl::sim {

struct StageOverlap {
    Cycle work_end, pack_end, next_start;
};

/// Unpack and math run together, limited by the slower; pack follows through the other half of Dst, so the next step
/// may begin once this one's pack has started. `pack_free`: when the packer is done with the step before.
inline StageOverlap play_step(const StepTime& time, Cycle start, Cycle pack_free) {
    StageOverlap play{};
    play.work_end = start + std::max(time.unpack, time.math).value();
    play.pack_end = std::max(std::max(pack_free, start) + time.pack.value(), play.work_end);
    play.next_start = std::max(play.work_end, play.pack_end - time.pack.value());
    return play;
}

/// Of an input among others on one core: operands always there, results always taken.
Cycles kernel_cycles(const PlanOp& op);

}  // namespace ttsim::impl::sim
