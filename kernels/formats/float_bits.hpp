// Branch-free bit operations on float32 that compilers vectorize.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/instruction_set.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

inline constexpr std::uint32_t sign_bit = 0x80000000U;
inline constexpr std::uint32_t infinity_bits = 0x7F800000U;
inline constexpr std::uint32_t least_normal_bits = 0x00800000U;

inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// Magnitudes are below 2^31, so SSE2 can compare them as signed integers in one instruction. Masks instead of ?:
// prevent branches, which would prevent vectorization.

/// All ones if a < b, else 0.
inline std::uint32_t less_mask(std::uint32_t a, std::uint32_t b) {
    return 0U - static_cast<std::uint32_t>(static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b));
}
inline std::uint32_t min_magnitude(std::uint32_t a, std::uint32_t b) { return b ^ ((a ^ b) & less_mask(a, b)); }
/// `then` if a < b, else 0.
inline std::uint32_t where_less(std::uint32_t a, std::uint32_t b, std::uint32_t then) { return then & less_mask(a, b); }
/// Denormals and zeros become +0; other values are unchanged.
inline std::uint32_t flush(std::uint32_t bits) { return where_less(least_normal_bits - 1, bits & ~sign_bit, bits); }

/// A small float format without infinity (all exponent codes are numbers), as float32 values.
template <unsigned ExponentBits, unsigned MantissaBits>
struct SmallFloat {
    static constexpr std::uint32_t bias = (1U << (ExponentBits - 1)) - 1;
    static constexpr unsigned dropped = 23 - MantissaBits;
    static constexpr std::uint32_t kept = ~0U << dropped;
    /// Float32 exponent of exponent code 0.
    static constexpr std::uint32_t lowest_exponent = 127 - bias;
    static constexpr std::uint32_t least_normal = (lowest_exponent + 1) << 23;
    static constexpr std::uint32_t largest =
        ((lowest_exponent + (1U << ExponentBits) - 1) << 23) | (kept & 0x007FFFFFU);
    static constexpr std::uint32_t code_mask = (1U << (ExponentBits + MantissaBits)) - 1;

    /// Truncates. Too small values become zero of the same sign; too large ones, infinity and NaN the largest number.
    static std::uint32_t truncate(std::uint32_t bits) {
        const std::uint32_t a = min_magnitude(bits & ~sign_bit, largest) & kept;
        return where_less(least_normal - 1, a, a) | (bits & sign_bit);
    }
    /// The code of a value of the format. Denormal codes are computed as float32 denormals.
    static std::uint32_t encode(float value) {
        const std::uint32_t bits = bits_of(value);
        const float a = float_of(min_magnitude(bits & ~sign_bit, largest)) * float_of((127 - lowest_exponent) << 23);
        return (bits_of(a) >> dropped) | (bits >> 31 << (ExponentBits + MantissaBits));
    }
    static float decode(std::uint32_t code) {
        const float a = float_of((code & code_mask) << dropped) * float_of((127 + lowest_exponent) << 23);
        return float_of(bits_of(a) | (code >> (ExponentBits + MantissaBits) << 31));
    }
};
using Fp16 = SmallFloat<5, 10>;
using Fp8E5 = SmallFloat<5, 2>;
using Fp8E4 = SmallFloat<4, 3>;

/// Replaces the bits of every element by f(bits).
template <class F>
void for_each_element(MatrixView m, F f) {
    if (m.stride == m.cols) m = {m.data, 1, m.rows * m.cols, m.rows * m.cols};
    with_vector_instructions([m, f] {
        for (std::int64_t r = 0; r < m.rows; ++r) {
            float* row = m.row(r);
            for (std::int64_t c = 0; c < m.cols; ++c) row[c] = float_of(f(bits_of(row[c])));
        }
    });
}

/// The sum, modulo 2^32, of f(bits) of every element.
template <class F>
std::uint32_t sum_of_elements(ConstMatrixView m, F f) {
    if (m.stride == m.cols) m = {m.data, 1, m.rows * m.cols, m.rows * m.cols};
    std::uint32_t sum = 0;
    with_vector_instructions([m, f, &sum] {
        std::uint32_t all = 0;
        for (std::int64_t r = 0; r < m.rows; ++r) {
            const float* row = m.row(r);
            for (std::int64_t c = 0; c < m.cols; ++c) all += f(bits_of(row[c]));
        }
        sum = all;
    });
    return sum;
}

/// Whether f(bits) has a bit set for any element.
template <class F>
bool any_of_elements(ConstMatrixView m, F f) {
    if (m.stride == m.cols) m = {m.data, 1, m.rows * m.cols, m.rows * m.cols};
    bool found = false;
    with_vector_instructions([m, f, &found] {
        std::uint32_t any = 0;
        for (std::int64_t r = 0; r < m.rows; ++r) {
            const float* row = m.row(r);
            for (std::int64_t c = 0; c < m.cols; ++c) any |= f(bits_of(row[c]));
        }
        found = any != 0;
    });
    return found;
}

}  // namespace ttsim::impl
