// How long a core's three threads need for one step of an op. The simulation couples them; this only serves times.
// First model: named rates per unit (ChipTiming). docs/modelling.md says how far off it is.
#pragma once

#include <vector>

#include "base/units.hpp"
#include "kernels/op_def.hpp"

namespace tt {

/// What one step of an op's loop nest does on one core.
struct StepWork {
    std::vector<std::int64_t> in_bytes;  ///< per operand, unpacked in this step
    std::int64_t ublocks = 1;            ///< micro-blocks handled
    std::int64_t math_tiles = 0;         ///< tile operations: products for matmuls, output tiles otherwise
    std::int64_t out_bytes = 0;          ///< packed in this step (0: only spilled)
};

/// Service times of the three stages for one step.
struct StepTime {
    Cycles unpack, math, pack;
};

StepTime step_time(const OpConfig& op, const OpDef& def, const ChipTiming& chip, const StepWork& work);

}  // namespace tt
