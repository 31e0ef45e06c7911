// C (+)= A * B in float32, row-major. Built once per set of kernels/instruction_set.hpp; products contract
// multiply and add where the set can.
#pragma once

#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// C = A*B, or C += A*B when accumulate. No aliasing. The order of summation depends on nothing but the sizes.
void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, bool accumulate);

}  // namespace ttsim::impl
