#define GOLDEN_EIGEN_NAME multiply_baseline
#include "kernels/golden_eigen_body.hpp"
