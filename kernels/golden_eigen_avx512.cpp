#define GOLDEN_EIGEN_NAME multiply_avx512
#include "kernels/golden_eigen_body.hpp"
