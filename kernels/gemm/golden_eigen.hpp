// Golden's matrix product by Eigen, independent of the simulator's GEMM. Compiled once per instruction set
// (golden_eigen_*.cpp); each build renames Eigen's namespace, so that the linker cannot merge its inline code.
#pragma once

#include <cstdint>

namespace ttsim::impl::golden_eigen {

/// C (m x n) += A (m x k) * B (k x n), row-major with strides.
struct Product {
    const float* a;
    std::int64_t a_stride;
    const float* b;
    std::int64_t b_stride;
    float* c;
    std::int64_t c_stride, m, n, k;
};

void multiply_baseline(const Product& p);
void multiply_avx2(const Product& p);
void multiply_avx512(const Product& p);

}  // namespace ttsim::impl::golden_eigen
