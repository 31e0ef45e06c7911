// Body of golden_eigen_*.cpp; GOLDEN_EIGEN_NAME must be defined.
#include <Eigen/Core>

#include "kernels/gemm/golden_eigen.hpp"

void ttsim::impl::golden_eigen::GOLDEN_EIGEN_NAME(const Product& p) {
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using Input = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;
    using Output = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;
    const Input a(p.a, p.m, p.k, Eigen::OuterStride<>(p.a_stride));
    const Input b(p.b, p.k, p.n, Eigen::OuterStride<>(p.b_stride));
    Output(p.c, p.m, p.n, Eigen::OuterStride<>(p.c_stride)).noalias() += a * b;
}
