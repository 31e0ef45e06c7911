#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/gemm_kernel.hpp"
#include "kernels/instruction_set.hpp"

using namespace ttsim::impl;

namespace {

struct Sizes {
    std::int64_t m, k, n;
};
constexpr Sizes sizes[] = {{32, 32, 32}, {32, 768, 96}, {128, 64, 128}, {1, 32, 32},    {16, 32, 16},
                           {8, 64, 32},  {33, 17, 35},  {5, 1, 3},      {64, 300, 600}, {2, 768, 48}};

Tensor random_matrix(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    Tensor t(1, rows, cols);
    for (float& x : t.data) x = uniform(random);
    return t;
}

/// Largest |C - exact| in units of the rounding error that k sums may have.
double worst_error(const Tensor& a, const Tensor& b, const Tensor& before, const Tensor& c, bool accumulate) {
    double worst = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < b.cols; ++j) {
            double exact = accumulate ? double{before.slice(0).at(i, j)} : 0.0, size = std::fabs(exact);
            for (std::int64_t k = 0; k < a.cols; ++k) {
                const double product = double{a.slice(0).at(i, k)} * double{b.slice(0).at(k, j)};
                exact += product;
                size += std::fabs(product);
            }
            worst = std::max(worst, std::fabs(exact - double{c.slice(0).at(i, j)}) / (size * 0x1p-23 + 1e-30));
        }
    return worst / static_cast<double>(a.cols);
}

using Multiply = void (*)(const gemm_detail::Product&);

std::vector<std::pair<const char*, Multiply>> backends() {
    std::vector<std::pair<const char*, Multiply>> out{{"baseline", gemm_detail::multiply_baseline}};
    if (supported(HostInstructions::Avx2)) out.emplace_back("avx2", gemm_detail::multiply_avx2);
    if (supported(HostInstructions::Avx512)) out.emplace_back("avx512", gemm_detail::multiply_avx512);
    return out;
}

}  // namespace

TEST_CASE("every build of the matrix product is right on all sizes") {
    for (const auto& [name, multiply] : backends())
        for (const auto& [m, k, n] : sizes)
            for (const bool accumulate : {false, true}) {
                const Tensor a = random_matrix(m, k, 1), b = random_matrix(k, n, 2), before = random_matrix(m, n, 3);
                Tensor c = before;
                multiply({a.data.data(), k, b.data.data(), n, c.data.data(), n, m, n, k, accumulate});
                INFO(name << " " << m << "x" << k << "x" << n << (accumulate ? " accumulate" : ""));
                CHECK(worst_error(a, b, before, c, accumulate) <= 1.0);
            }
}

TEST_CASE("k-blocks give the same bits as one product") {
    const Tensor a = random_matrix(64, 768, 1), b = random_matrix(768, 96, 2);
    Tensor whole(1, 64, 96), blocked(1, 64, 96, 5.0F);
    gemm(a.slice(0), b.slice(0), whole.slice(0), false);
    for (std::int64_t k = 0; k < 768; k += 32)
        gemm(a.slice(0).sub(0, k, 64, 32), b.slice(0).sub(k, 0, 32, 96), blocked.slice(0), k > 0);
    CHECK(whole.data == blocked.data);
}

TEST_CASE("bits do not depend on strides, alignment or the cut of rows") {
    const Tensor a = random_matrix(64, 300, 1), b = random_matrix(300, 64, 2);
    Tensor whole(1, 64, 64);
    gemm(a.slice(0), b.slice(0), whole.slice(0), false);
    Tensor wide_a(1, 64, 1024), wide_b(1, 300, 1024), wide_c(1, 64, 1024, 7.0F);
    for (std::int64_t r = 0; r < 64; ++r) std::copy_n(a.slice(0).row(r), 300, wide_a.slice(0).row(r) + 3);
    for (std::int64_t r = 0; r < 300; ++r) std::copy_n(b.slice(0).row(r), 64, wide_b.slice(0).row(r) + 5);
    for (std::int64_t r = 0; r < 64; r += 16)
        gemm(wide_a.slice(0).sub(r, 3, 16, 300), wide_b.slice(0).sub(0, 5, 300, 64), wide_c.slice(0).sub(r, 1, 16, 64),
             false);
    for (std::int64_t r = 0; r < 64; ++r) {
        CHECK(std::equal(whole.slice(0).row(r), whole.slice(0).row(r) + 64, wide_c.slice(0).row(r) + 1));
        CHECK(wide_c.slice(0).at(r, 0) == 7.0F);
        CHECK(wide_c.slice(0).at(r, 65) == 7.0F);
    }
}

TEST_CASE("a product over nothing clears or keeps C") {
    const Tensor a(1, 32, 0), b(1, 0, 1024);
    Tensor c(1, 32, 1024, 3.0F);
    gemm(a.slice(0), b.slice(0), c.slice(0), true);
    CHECK(c.data[5] == 3.0F);
    gemm(a.slice(0), b.slice(0), c.slice(0), false);
    CHECK(c.data[5] == 0.0F);
}

TEST_CASE("operands that do not fit are refused") {
    const Tensor a(1, 32, 32), b(1, 16, 32);
    Tensor c(1, 32, 32);
    CHECK_THROWS_AS(gemm(a.slice(0), b.slice(0), c.slice(0), false), Error);
}
