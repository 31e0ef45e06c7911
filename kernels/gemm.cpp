#include "kernels/gemm.hpp"

#include "base/error.hpp"
#include "kernels/gemm_kernel.hpp"

namespace tt {

namespace {

struct Backend {
    const char* name;
    void (*multiply)(const gemm_detail::Product& p);
};

Backend choose() {
#if defined(__x86_64__)
    const bool fma = __builtin_cpu_supports("fma") != 0;
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return {"avx512", gemm_detail::multiply_avx512};
    if (fma && __builtin_cpu_supports("avx2")) return {"avx2", gemm_detail::multiply_avx2};
#endif
    return {"baseline", gemm_detail::multiply_baseline};
}

const Backend& backend() {
    static const Backend chosen = choose();
    return chosen;
}

}  // namespace

void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, bool accumulate) {
    TT_CHECK(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols, "{}x{} times {}x{} into {}x{}", a.rows, a.cols,
             b.rows, b.cols, c.rows, c.cols);
    backend().multiply({a.data, a.stride, b.data, b.stride, c.data, c.stride, c.rows, c.cols, a.cols, accumulate});
}

const char* gemm_backend() { return backend().name; }

}  // namespace tt
