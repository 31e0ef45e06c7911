// C (+)= A * B in float32, row-major. Built for the baseline, AVX2+FMA and AVX-512 and chosen once at run time.
#pragma once

#include "kernels/tensor.hpp"

namespace tt {

/// C = A*B, or C += A*B when accumulate. No aliasing. The order of summation depends on nothing but the sizes.
void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, bool accumulate);

/// "avx512", "avx2" or "baseline": which build runs on this machine.
const char* gemm_backend();

}  // namespace tt
