// The bit-true FPU kernels for AVX2.
#define TT_EXACT_LANE std::int32_t
#define TT_EXACT_BYTES 32
#include "kernels/exact/fpu_kernel.hpp"

const ttsim::impl::exact::detail::Backend ttsim::impl::exact::detail::avx2{run_matmul, run_pairs};
