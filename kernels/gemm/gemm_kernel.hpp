// The matrix product, compiled once per instruction set by gemm_{baseline,avx2,avx512}.cpp.
// Every element of C is one chain of multiply-adds in the order of k, for any blocking. Bits depend only on the sizes,
// and a product split along k gives the same bits as the complete one.
// No inline code may be shared with other sources, since the linker could use the copy built for a newer processor.
// Hence plain pointers, an unnamed namespace and no standard headers with code.
#pragma once

#include <cstdint>

namespace ttsim::impl::gemm_detail {

/// Row-major operands; strides in floats.
struct Product {
    const float* a;
    std::int64_t lda;
    const float* b;
    std::int64_t ldb;
    float* c;
    std::int64_t ldc;
    std::int64_t m, n, k;
    bool accumulate;
};

void multiply_baseline(const Product& p);
void multiply_avx2(const Product& p);
void multiply_avx512(const Product& p);

}  // namespace ttsim::impl::gemm_detail

#ifdef TT_GEMM_LANES  // floats in a vector register; set by the three sources, with TT_GEMM_ROWS rows per kernel

// NOLINTBEGIN(misc-definitions-in-headers): each of the three sources is meant to have its own copy
namespace ttsim::impl::gemm_detail {
namespace {

constexpr std::int64_t lanes = TT_GEMM_LANES;
constexpr std::int64_t panel = 2 * lanes;  // columns of a full kernel
// Rows of B with a large stride map to the same few cache sets, and are fetched ahead badly. Then a panel of B is
// copied first, in steps of k that fit the first-level cache. For small strides or few rows of A the copy costs more
// than it saves: with 128 or 384 columns a product is a third faster with it, with 96 it is not.
constexpr std::int64_t min_copy_stride = 128;
constexpr std::int64_t min_copy_rows = 16;
constexpr std::int64_t k_step = 256;

using Vector [[gnu::vector_size(lanes * 4), gnu::aligned(4), gnu::may_alias]] = float;

/// Computes Rows x (Vectors * lanes) of C with all sums in registers.
template <unsigned Rows, unsigned Vectors>
void kernel(const Product& p, std::int64_t row, std::int64_t col) {
    const float* a = p.a + row * p.lda;
    const float* b = p.b + col;
    float* c = p.c + row * p.ldc + col;
    Vector sum[Rows][Vectors];
    for (unsigned r = 0; r < Rows; ++r)
        for (unsigned v = 0; v < Vectors; ++v)
            sum[r][v] = p.accumulate ? *reinterpret_cast<const Vector*>(c + r * p.ldc + v * lanes) : Vector{};
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < p.k; ++k) {
        Vector right[Vectors];
        for (unsigned v = 0; v < Vectors; ++v) right[v] = *reinterpret_cast<const Vector*>(b + k * p.ldb + v * lanes);
        for (unsigned r = 0; r < Rows; ++r)
            for (unsigned v = 0; v < Vectors; ++v) sum[r][v] += a[r * p.lda + k] * right[v];
    }
    for (unsigned r = 0; r < Rows; ++r)
        for (unsigned v = 0; v < Vectors; ++v) *reinterpret_cast<Vector*>(c + r * p.ldc + v * lanes) = sum[r][v];
}

/// All rows of Vectors * lanes columns.
template <unsigned Vectors>
void strip(const Product& p, std::int64_t col) {
    constexpr std::int64_t two_fours = TT_GEMM_ROWS < 8 ? 8 : 0;  // rows left that kernels of 4 share out better
    std::int64_t r = 0;
    for (; r + TT_GEMM_ROWS <= p.m && p.m - r != two_fours; r += TT_GEMM_ROWS) kernel<TT_GEMM_ROWS, Vectors>(p, r, col);
    for (; r + 4 <= p.m; r += 4) kernel<4, Vectors>(p, r, col);
    for (; r < p.m; ++r) kernel<1, Vectors>(p, r, col);
}

void single_column(const Product& p, std::int64_t col) {
    for (std::int64_t r = 0; r < p.m; ++r) {
        float& c = p.c[r * p.ldc + col];
        float sum = p.accumulate ? c : 0.0F;
        for (std::int64_t k = 0; k < p.k; ++k) sum += p.a[r * p.lda + k] * p.b[k * p.ldb + col];
        c = sum;
    }
}

void copied_panel(Product p, std::int64_t col) {
    alignas(64) float packed[k_step * panel];  // at most 32 KB
    const std::int64_t k_all = p.k;
    const float* b = p.b + col;
    const std::int64_t ldb = p.ldb;
    p.b = packed;
    p.ldb = panel;
    p.c += col;
    for (std::int64_t k = 0; k < k_all; k += k_step, p.a += k_step, p.accumulate = true) {
        p.k = k_all - k < k_step ? k_all - k : k_step;
        for (std::int64_t i = 0; i < p.k; ++i)
            for (std::int64_t v = 0; v < panel; v += lanes)
                *reinterpret_cast<Vector*>(packed + i * panel + v) =
                    *reinterpret_cast<const Vector*>(b + (k + i) * ldb + v);
        strip<2>(p, 0);
    }
}

void multiply(const Product& p) {
    const bool copy = p.ldb >= min_copy_stride && p.m >= min_copy_rows && p.k > 0;
    std::int64_t j = 0;
    for (; j + panel <= p.n; j += panel)
        if (copy)
            copied_panel(p, j);
        else
            strip<2>(p, j);
    for (; j + lanes <= p.n; j += lanes) strip<1>(p, j);
    for (; j < p.n; ++j) single_column(p, j);
}

}  // namespace
}  // namespace ttsim::impl::gemm_detail
// NOLINTEND(misc-definitions-in-headers)

#endif
