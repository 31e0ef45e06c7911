// The matrix product for AVX2.
#define TT_GEMM_LANES 8
#define TT_GEMM_ROWS 6  // 12 sums, the rows and columns of a step: 15 of 16 registers
#include "kernels/gemm/gemm_kernel.hpp"

void ttsim::impl::gemm_detail::multiply_avx2(const Product& p) { multiply(p); }
