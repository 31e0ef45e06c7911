#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "kernels/ops/matmul.hpp"

using namespace ttsim::impl;

TEST_CASE("golden's product adds to every column, on both sides of the borders of its panels and pieces") {
    constexpr std::int64_t rows = 5, inner = 130, cols = 527;
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    Tensor a(1, rows, inner), b(1, inner, cols), sums(1, rows, cols, 2.0F);
    for (float& value : a.data) value = normal(random);
    for (float& value : b.data) value = normal(random);
    golden_multiply(a.slice(0), b.slice(0), sums.slice(0));
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) {
            double exact = 2.0;
            for (std::int64_t k = 0; k < inner; ++k) exact += double{a.slice(0).at(r, k)} * b.slice(0).at(k, c);
            INFO("row " << r << ", column " << c);
            REQUIRE(std::abs(sums.slice(0).at(r, c) - exact) < 1e-4);
        }
}
