// The matrix product for the baseline instruction set.
#define TT_GEMM_LANES 4
#define TT_GEMM_ROWS 4
#include "kernels/gemm/gemm_kernel.hpp"

void ttsim::impl::gemm_detail::multiply_baseline(const Product& p) { multiply(p); }
