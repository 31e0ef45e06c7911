#define GOLDEN_EIGEN_NAME multiply_baseline
#include "kernels/gemm/golden_eigen_body.hpp"
