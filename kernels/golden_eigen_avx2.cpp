#define GOLDEN_EIGEN_NAME multiply_avx2
#include "kernels/golden_eigen_body.hpp"
