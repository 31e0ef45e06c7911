// Cycles of a core's three threads for one step of an op, from the kernel model (kernels/timing/kernel_model.hpp). The
// simulation couples the threads. Without stalls, the steps of one input take the time of the model.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "kernels/kernel_shape.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

/// The work of one step of an op's loop nest on one core.
struct StepWork {
    double share = 1;                    ///< fraction of its slice
    std::optional<SparseCounts> sparse;  ///< of a sparse matmul with known encoding
};

/// Service times of the three stages for one step.
struct StepTime {
    Cycles unpack, math, pack;
    Cycles math_busy;  ///< part of math: FPU or SFPU are busy
    Cycles counted;    ///< part of math_busy in the chip's performance counter: one cycle per instruction
    /// The stages with infinite bandwidth in and out: no waits for tiles or space of streams.
    Cycles unpack_alone, math_alone, pack_alone;
};

StepTime step_time(const OpConfig& op, const OpDef& def, const ChipTiming& chip, const StepWork& work);

/// The times of steps of the given shares of one op's slice, in order. The kernel is timed once.
std::vector<StepTime> step_times(const OpConfig& op, const OpDef& def, const ChipTiming& chip,
                                 std::span<const double> shares, const std::optional<SparseCounts>& sparse);

/// One core's part of an op as input of the kernel model. For a sparse matmul without a known encoding, half of the
/// micro-blocks of each strip and a fifth of their tiles are assumed nonzero. The compiler estimates so.
KernelShape kernel_shape(const OpConfig& op, const OpDef& def, const std::optional<SparseCounts>& sparse = {});

}  // namespace ttsim::impl
