// Float32 matrix product C (+)= A * B, row-major. Built once per instruction set (kernels/instruction_set.hpp); uses
// fused multiply-add if the set has it.
#pragma once

#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// C = A*B, or C += A*B if `accumulate`. No aliasing. The order of summation depends only on the sizes.
void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, bool accumulate);

}  // namespace ttsim::impl
