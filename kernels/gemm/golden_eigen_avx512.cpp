#define GOLDEN_EIGEN_NAME multiply_avx512
#include "kernels/gemm/golden_eigen_body.hpp"
