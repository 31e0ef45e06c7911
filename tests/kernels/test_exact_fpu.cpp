// The matrix unit's arithmetic: single rules by hand, and everything against a slow model of one element.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "isa/fidelity.hpp"
#include "kernels/exact/fpu.hpp"
#include "kernels/exact/integer.hpp"
#include "kernels/exact/tile.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/instruction_set.hpp"

using namespace ttsim::impl;
using exact::Dest;

namespace {

struct Number {
    std::int64_t value;  ///< value * 2^(exponent - 150)
    int exponent;
    bool from_dest = false;
};

/// value / 2^n to the nearest; ties up in magnitude, for group sums down when negative.
std::int64_t rounded(const Number& x, std::int64_t value, int n) {
    if (n <= 0) return value;
    if (n > 40) return 0;
    const std::int64_t size = std::abs(value), unit = std::int64_t{1} << n;
    std::int64_t whole = size / unit;
    const std::int64_t rest = 2 * (size % unit);
    const bool tie_goes_up = x.from_dest || value > 0;
    if (rest > unit || (rest == unit && tie_goes_up)) ++whole;
    return value < 0 ? -whole : whole;
}

/// Dst plus terms, as the rules of the vectors say (steps 3 to 7), for 8-bit exponents.
float accumulated(Dest dest, float old, std::vector<Number> terms) {
    const std::uint32_t bits = bits_of(old);
    const int field = static_cast<int>((bits >> 23) & 255);
    const std::int64_t size = field == 0 ? 0 : (bits & 0x7FFFFF) | 0x800000;
    terms.push_back({(bits & sign_bit) != 0 ? -size : size, field, true});
    int common = 0;
    for (const Number& t : terms) common = std::max(common, t.exponent);
    if (common <= 0) return 0.0F;
    std::int64_t sum = 0;
    for (const Number& t : terms) {
        std::int64_t aligned = rounded(t, t.value, common - t.exponent);
        if (dest != Dest::Fp32) aligned = rounded(t, aligned, 13) << 13;
        sum += aligned;
    }
    if (sum == 0) return 0.0F;
    if (dest == Dest::Fp32 && sum == -1) return float_of(sign_bit | static_cast<std::uint32_t>(common + 4) << 23);
    const std::uint32_t sign = sum < 0 ? sign_bit : 0;
    const auto width = [](std::uint64_t x) { return static_cast<int>(std::bit_width(x)); };
    const auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
    const int keep = dest == Dest::Fp32 ? 24 : 8;
    const int drop = width(magnitude) - keep;
    std::uint64_t significand = drop > 0 ? (magnitude + (std::uint64_t{1} << (drop - 1))) >> drop : magnitude << -drop;
    int exponent = common + width(magnitude) - 24;
    if (width(significand) > keep) {
        significand >>= 1;
        ++exponent;
    }
    if (exponent <= 0) return 0.0F;
    if (exponent >= 255) return float_of(sign | infinity_bits);
    return float_of(sign | static_cast<std::uint32_t>(exponent) << 23 |
                    (static_cast<std::uint32_t>(significand << (24 - keep)) & 0x7FFFFF));
}

struct Factor {
    std::int64_t high, low;
    int exponent;
    bool zero, negative;
};
Factor factor(float x, bool port_a) {
    const std::uint32_t bits = bits_of(x);
    const std::int64_t m = 1024 | ((bits >> 13) & 1023);
    const int exponent = static_cast<int>((bits >> 23) & 255);
    return {port_a ? m >> 6 : m >> 4, port_a ? (m >> 1) & 31 : (m & 15) * 8, exponent, exponent == 0,
            (bits & sign_bit) != 0};
}

/// One element of Dst through all phases of one tile of `k` inner indices.
float slow_element(Dest dest, std::span<const int> phase_list, const std::vector<float>& b, const std::vector<float>& a,
                   float old) {
    for (const int phase : phase_list)
        for (std::size_t issue = 0; issue < b.size(); issue += 16) {
            std::vector<Number> groups;
            for (std::size_t first = issue; first < issue + 16; first += 8) {
                std::vector<std::pair<std::int64_t, int>> products;
                int most = 0;
                for (std::size_t k = first; k < std::min(first + 8, b.size()); ++k) {
                    const Factor fa = factor(a[k], true), fb = factor(b[k], false);
                    std::int64_t p = ((phase & 1) != 0 ? fa.low : fa.high) * ((phase & 2) != 0 ? fb.low : fb.high);
                    int e = fa.exponent + fb.exponent - 127 - ((phase & 1) != 0 ? 5 : 0) - ((phase & 2) != 0 ? 7 : 0);
                    if (fa.zero || fb.zero) p = e = 0;
                    products.emplace_back(fa.negative != fb.negative ? -p : p, e);
                    most = std::max(most, e);
                }
                std::int64_t sum = 0;
                for (const auto& [p, e] : products) {
                    const int n = most - e;
                    const std::int64_t size = n > 30 ? 0 : n == 0 ? std::abs(p) : (std::abs(p) + (1LL << (n - 1))) >> n;
                    sum += p < 0 ? -size : size;
                }
                groups.push_back({most <= 0 ? 0 : sum << 13, std::max(most, 0)});
            }
            old = accumulated(dest, old, groups);
        }
    return old;
}

/// Floats of many kinds: near each other, far apart, ties, zeros, denormals, both ends of the exponents.
float awkward(std::mt19937& random) {
    const std::uint32_t bits = static_cast<std::uint32_t>(random());
    switch (random() % 8) {
        case 0:
            return float_of(bits & ~0x1FFFU);
        case 1:
            return 0.0F;
        case 2:
            return float_of(bits & 0x807FE000U);
        case 3:
            return float_of((bits & 0x807FE000U) | (240 + bits % 16) << 23);
        case 4:
            return float_of((bits & 0x80600000U) | (120 + bits % 12) << 23);
        default:
            return float_of((bits & 0x807FE000U) | (118 + bits % 20) << 23);
    }
}

/// Values whose products are formed by float additions (fpu_kernel.hpp): many ties and zeros, both ends of the
/// exponents.
float usual(std::mt19937& random) {
    const std::uint32_t bits = static_cast<std::uint32_t>(random());
    const auto with_exponent = [bits](std::uint32_t exponent) {
        return float_of((bits & 0x807FE000U) | exponent << 23);
    };
    switch (random() % 8) {
        case 0:
            return 0.0F;
        case 1:
            return float_of((bits & 0x80600000U) | (120 + bits % 12) << 23);
        case 2:
            return with_exponent(random() % 2 == 0 ? 72 : 183);
        default:
            return with_exponent(118 + bits % 20);
    }
}

using Draw = float (*)(std::mt19937&);
std::vector<float> values_of(Draw draw, std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> out(count);
    for (float& x : out) x = draw(random);
    return out;
}
std::vector<float> awkward_values(std::size_t count, unsigned seed) { return values_of(awkward, count, seed); }

std::vector<std::uint32_t> words(const std::vector<float>& values) {
    std::vector<std::uint32_t> out;
    for (const float x : values) out.push_back(bits_of(x));
    return out;
}

ConstMatrixView matrix(const std::vector<float>& v, std::int64_t rows, std::int64_t cols) {
    return {v.data(), rows, cols, cols};
}
MatrixView matrix(std::vector<float>& v, std::int64_t rows, std::int64_t cols) { return {v.data(), rows, cols, cols}; }

}  // namespace

TEST_CASE("every element of a product equals the slow model, whatever the sizes and the Dst") {
    constexpr std::int64_t m = 5, k = 96, n = 45;
    const Draw draw = GENERATE(&awkward, &usual);
    const auto in0 = values_of(draw, m * k, 1), in1 = values_of(draw, k * n, 2);
    for (const Dest dest : {Dest::Bf16, Dest::Fp32})
        for (const Fidelity fidelity : {Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi2_B, Fidelity::HiFi4}) {
            auto start = awkward_values(m * n, 3);
            if (dest == Dest::Bf16)
                for (float& x : start) x = float_of(bits_of(x) & ~0xFFFFU);
            auto sums = start;
            exact::matmul({dest, false}, phases(fidelity), 32, matrix(in0, m, k), matrix(in1, k, n),
                          matrix(sums, m, n));
            int different = 0;
            for (std::int64_t r = 0; r < m; ++r)
                for (std::int64_t c = 0; c < n; ++c) {
                    float want = start[static_cast<std::size_t>(r * n + c)];
                    for (std::int64_t tile = 0; tile < k; tile += 32) {
                        std::vector<float> b, a;
                        for (std::int64_t i = tile; i < tile + 32; ++i) {
                            b.push_back(in0[static_cast<std::size_t>(r * k + i)]);
                            a.push_back(in1[static_cast<std::size_t>(i * n + c)]);
                        }
                        want = slow_element(dest, phases(fidelity), b, a, want);
                    }
                    const float got = sums[static_cast<std::size_t>(r * n + c)];
                    if (bits_of(got) != bits_of(want) && different++ < 3)
                        UNSCOPED_INFO("(" << r << ", " << c << "): got " << std::hex << bits_of(got) << ", want "
                                          << bits_of(want));
                }
            INFO("fidelity " << to_string(fidelity));
            CHECK(different == 0);
        }
}

TEST_CASE("all instruction sets of the exact matrix unit give the same bits") {
    constexpr std::int64_t m = 9, k = 64, n = 71;
    const Draw draw = GENERATE(&awkward, &usual);
    const auto in0 = values_of(draw, m * k, 4), in1 = values_of(draw, k * n, 5), other = values_of(draw, k * n, 6);
    for (const exact::FpuConfig config :
         {exact::FpuConfig{Dest::Bf16, false}, {Dest::Fp32, false}, {Dest::Fp16, true}, {Dest::Fp32, true}}) {
        std::vector<std::vector<std::uint32_t>> seen;
        for (const HostInstructions set : instruction_sets) {
            if (!supported(set)) continue;
            const UseInstructionSet use(set);
            std::vector<float> sums(m * n), pairs(k * n), added(k * n);
            exact::matmul(config, phases(Fidelity::HiFi4), 32, matrix(in0, m, k), matrix(in1, k, n),
                          matrix(sums, m, n));
            exact::multiply(config, phases(Fidelity::HiFi3), in1, other, pairs);
            exact::add(config, exact::AddKind::Subtract, false, in1, other, added);
            for (const auto& result : {sums, pairs, added}) seen.push_back(words(result));
        }
        for (std::size_t i = 3; i < seen.size(); ++i) CHECK(seen[i] == seen[i % 3]);
    }
}

TEST_CASE("each row of an exact product has the bits of that row alone") {
    constexpr std::int64_t m = 131, k = 40, n = 45;  // more rows than are kept ready, a part of a tile, two panels
    const Draw draw = GENERATE(&awkward, &usual);
    const auto in0 = values_of(draw, m * k, 9), in1 = values_of(draw, k * n, 10);
    const exact::FpuConfig config{Dest::Bf16, false};
    std::vector<float> all(m * n), alone(m * n);
    exact::matmul(config, phases(Fidelity::HiFi4), 32, matrix(in0, m, k), matrix(in1, k, n), matrix(all, m, n));
    const ConstMatrixView rows = matrix(in0, m, k);
    MatrixView sums = matrix(alone, m, n);
    for (std::int64_t r = 0; r < m; ++r)
        exact::matmul(config, phases(Fidelity::HiFi4), 32, rows.sub(r, 0, 1, k), matrix(in1, k, n),
                      sums.sub(r, 0, 1, n));
    CHECK(words(all) == words(alone));
}

TEST_CASE("skipping rows of zeros does not change the results in Dst") {
    constexpr std::int64_t m = 6, k = 64, n = 33;
    auto in0 = awkward_values(m * k, 7);
    for (std::size_t i = 0; i < in0.size(); ++i)
        if (i / 16 % 3 != 0) in0[i] = 0.0F;
    const auto in1 = awkward_values(k * n, 8);
    for (const exact::FpuConfig config :
         {exact::FpuConfig{Dest::Bf16, false}, {Dest::Fp32, false}, {Dest::Fp32, true}}) {
        std::vector<float> all(m * n), some(m * n);
        exact::matmul(config, phases(Fidelity::HiFi4), 32, matrix(in0, m, k), matrix(in1, k, n), matrix(all, m, n));
        exact::matmul(config, phases(Fidelity::HiFi4), 32, matrix(in0, m, k), matrix(in1, k, n), matrix(some, m, n),
                      true);
        CHECK(words(all) == words(some));
    }
}

TEST_CASE("a sum of exactly minus one unit comes out 2^27 too large in a 32-bit Dst") {
    // 1 - (1 + 2^-23) is minus one unit at the exponent of 1.
    std::vector<float> dest{-1.0F - 0x1p-23F};
    exact::multiply({Dest::Fp32, false}, phases(Fidelity::LoFi), std::vector{1.0F}, std::vector{1.0F}, dest);
    CHECK(dest[0] == -0x1p4F);
    std::vector<float> positive{1.0F + 0x1p-23F};
    exact::multiply({Dest::Fp32, false}, phases(Fidelity::LoFi), std::vector{-1.0F}, std::vector{1.0F}, positive);
    CHECK(positive[0] == 0x1p-23F);
}

TEST_CASE("exponent 255 is a number, denormals vanish, results saturate at infinity") {
    const float infinity = float_of(infinity_bits);
    std::vector<float> dest(3);
    exact::add({Dest::Bf16, false}, exact::AddKind::Add, false, std::vector{infinity, 1.0F, float_of(0x00400000U)},
               std::vector{-infinity, float_of(0x00400000U), float_of(0x00400000U)}, dest);
    CHECK(bits_of(dest[0]) == 0);  // infinity minus infinity is zero
    CHECK(dest[1] == 1.0F);
    CHECK(bits_of(dest[2]) == 0);
    std::vector<float> product{0.0F};
    exact::multiply({Dest::Fp32, false}, phases(Fidelity::LoFi), std::vector{-0x1p100F}, std::vector{0x1p100F},
                    product);
    CHECK(bits_of(product[0]) == (sign_bit | infinity_bits));
}

TEST_CASE("the ports see 5 and 7 bits at LoFi, and each further phase adds its part") {
    const float a = 1.0F + 0x1p-4F + 0x1p-5F, b = 1.0F + 0x1p-6F + 0x1p-7F;
    const auto product = [&](Fidelity f) {
        std::vector<float> dest(1);
        exact::multiply({Dest::Fp32, false}, phases(f), std::vector{a}, std::vector{b}, dest);
        return double{dest[0]};
    };
    const double a_high = 1.0 + 0x1p-4, b_high = 1.0 + 0x1p-6;
    CHECK(product(Fidelity::LoFi) == a_high * b_high);
    CHECK(product(Fidelity::HiFi2) == double{a} * b_high);
    CHECK(product(Fidelity::HiFi2_B) == a_high * double{b});
    CHECK(product(Fidelity::HiFi3) == double{a} * double{b} - 0x1p-5 * 0x1p-7);
    CHECK(product(Fidelity::HiFi4) == double{a} * double{b});
}

TEST_CASE("integer products at low fidelity lose the bits of the phases left out") {
    const std::vector<std::int32_t> in0{100}, in1{-77};
    const auto product = [&](Fidelity f) {
        std::vector<std::int32_t> dest{1};
        exact::integer_matmul(phases(f), {.rows = 1, .cols = 1, .k = 1, .in0 = in0, .in1 = in1, .dest = dest});
        return dest[0];
    };
    CHECK(product(Fidelity::HiFi4) == 1 - 7700);
    CHECK(product(Fidelity::LoFi) == 1 - 64 * 96);
    CHECK(product(Fidelity::HiFi2) == 1 - 77 * 96);
    CHECK(exact::integer_sum(2147483647, 5) == 2147483647);
    CHECK(exact::integer_sum(-2147483647, -5) == -2147483647);
}

TEST_CASE("a row maximum in a 32-bit Dst passes 16 bits, a column maximum does not") {
    exact::Tile tile{};
    for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = -4.0F;
    tile[5] = 1.0F + 0x1p-9F;  // row 0, column 5; needs more than 8 significand bits
    std::array<float, 16> ones;
    ones.fill(1.0F);
    const auto reduce = [&](exact::ReduceAlong along) {
        exact::TileReducer reducer({Dest::Fp32, false}, exact::Reduction::Max, along, phases(Fidelity::LoFi), ones);
        reducer.add(exact::view(tile));
        return std::vector<float>(reducer.result().begin(), reducer.result().end());
    };
    CHECK(reduce(exact::ReduceAlong::Column)[5] == 1.0F + 0x1p-9F);
    CHECK(reduce(exact::ReduceAlong::Row)[0] == 1.0F);
    CHECK(reduce(exact::ReduceAlong::Row)[1] == -4.0F);
    CHECK(reduce(exact::ReduceAlong::Scalar)[0] == 1.0F);
}
