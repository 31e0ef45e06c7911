// The bit-true FPU kernels for AVX-512.
#define TT_EXACT_LANE std::int16_t
#define TT_EXACT_BYTES 64
#include "kernels/exact/fpu_kernel.hpp"

const ttsim::impl::exact::detail::Backend ttsim::impl::exact::detail::avx512{run_matmul, run_pairs};
