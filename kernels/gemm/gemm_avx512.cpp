// The matrix product for AVX-512.
#define TT_GEMM_LANES 16
#define TT_GEMM_ROWS 8
#include "kernels/gemm/gemm_kernel.hpp"

void ttsim::impl::gemm_detail::multiply_avx512(const Product& p) { multiply(p); }
