#include "kernels/gemm/gemm.hpp"

#include "base/error.hpp"
#include "kernels/gemm/gemm_kernel.hpp"
#include "kernels/instruction_set.hpp"

namespace ttsim::impl {

namespace {

void multiply(const gemm_detail::Product& p) {
    switch (instruction_set()) {
        case HostInstructions::Avx512:
            return gemm_detail::multiply_avx512(p);
        case HostInstructions::Avx2:
            return gemm_detail::multiply_avx2(p);
        case HostInstructions::Baseline:
            return gemm_detail::multiply_baseline(p);
    }
}

}  // namespace

void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, bool accumulate) {
    TT_CHECK(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols, "{}x{} times {}x{} into {}x{}", a.rows, a.cols,
             b.rows, b.cols, c.rows, c.cols);
    multiply({a.data, a.stride, b.data, b.stride, c.data, c.stride, c.rows, c.cols, a.cols, accumulate});
}

}  // namespace ttsim::impl
