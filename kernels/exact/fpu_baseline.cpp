// The bit-true FPU kernels for the baseline instruction set.
#define TT_EXACT_LANE std::int32_t
#define TT_EXACT_BYTES 16
#define TT_EXACT_FLOAT_SHIFTS
#include "kernels/exact/fpu_kernel.hpp"

const ttsim::impl::exact::detail::Backend ttsim::impl::exact::detail::baseline{run_matmul, run_pairs};
