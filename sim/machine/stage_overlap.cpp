#include "sim/machine/stage_overlap.hpp"

namespace ttsim::impl::sim {

Cycles kernel_cycles(const PlanOp& op) {
    // The first inputs fill the pipeline and the two halves of Dst; later inputs take equal time.
    constexpr int inputs = 4;
    Cycle now = 0, pack_free = 0, last_start = 0;
    for (int input = 0; input < inputs; ++input) {
        last_start = now;
        for (std::int64_t slice = 0; slice < op.slices; ++slice)
            for (const StepTime& time : op.step_times) {
                const StageOverlap overlap = overlap_stages(time, now, pack_free);
                now = overlap.next_start;
                pack_free = overlap.pack_end;
            }
    }
    return Cycles(now - last_start);
}

}  // namespace ttsim::impl::sim
