// What the pipes of a measured sweep add to an op's kernel: the op of a sweep stands between a feeder and a drainer,
// and its time is that of whichever is slowest. Only measured rows are timed so; ops of a simulation have the machine's
// pipes.
//
//   feeder --supply--> [operand buffer] kernel [output] --drain--> drainer
#pragma once

#include "kernels/timing/kernel_model.hpp"

namespace ttsim::impl {

struct SweepTime {
    double cycles = 0;             ///< per input
    double supply = 0, drain = 0;  ///< clocks per input that the operands' and the output's stream need
    KernelLimit limit = KernelLimit::Unpack;
};

/// `kernel`: of this shape. `inputs`: over which the row was measured, 0 if it does not say; one input alone is
/// measured from its first unpack to its last pack, so that filling the pipeline shows and waiting for the first tiles
/// does not.
SweepTime time_in_sweep(const KernelShape& shape, const KernelTime& kernel, std::int64_t inputs,
                        const KernelConstants& constants);

}  // namespace ttsim::impl
