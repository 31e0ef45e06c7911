// Adds the pipes of a measured sweep to the time of an op's kernel. In a sweep the op runs between a feeder and a
// drainer, and the slowest of them determines its time. Only for measured rows; a simulation has its own pipes.
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

/// `kernel`: the time of this shape. `inputs`: number of inputs measured, 0 if not given. A single input is measured
/// from its first unpack to its last pack, which includes filling the pipeline but not the wait for the first tiles.
SweepTime time_in_sweep(const KernelShape& shape, const KernelTime& kernel, std::int64_t inputs,
                        const KernelConstants& constants);

}  // namespace ttsim::impl
