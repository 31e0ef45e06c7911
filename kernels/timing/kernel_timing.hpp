// How long a core's three threads need for one step of an op. The simulation couples them; this only serves times,
// from the kernel model (kernels/timing/kernel_model.hpp): with inputs always there and outputs always taken, the steps
// of one input take as long as the model says.
#pragma once

#include <optional>

#include "base/units.hpp"
#include "kernels/kernel_shape.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

/// What one step of an op's loop nest does on one core.
struct StepWork {
    double share = 1;                    ///< of its slice
    std::optional<SparseCounts> sparse;  ///< of a sparse matmul, where its encoding is known
};

/// Service times of the three stages for one step.
struct StepTime {
    Cycles unpack, math, pack;
    Cycles engaged;  ///< of math: FPU or SFPU are at work
    Cycles counted;  ///< of these, what the chip's performance counter shows: a clock per instruction
    /// The stages with infinite bandwidth in and out: no stream to ask for tiles or room.
    Cycles unpack_alone, math_alone, pack_alone;
};

StepTime step_time(const OpConfig& op, const OpDef& def, const ChipTiming& chip, const StepWork& work);

/// One core's share of an op as the kernel model wants it. Of a sparse matmul whose encoding is not known, half of the
/// micro-blocks of every strip and a fifth of their tiles are taken to be used, as the default stimulus makes them.
KernelShape kernel_shape(const OpConfig& op, const OpDef& def, const std::optional<SparseCounts>& sparse = {});

}  // namespace ttsim::impl
