#include "kernels/formats/overflow.hpp"

#include <limits>

#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl {

namespace {

/// Largest number with 5 exponent bits (2^16 is the highest power) and `bits` significand bits.
constexpr std::uint32_t largest_bits_of(int bits) {
    return ((127U + 16U) << 23) | (((1U << (bits - 1)) - 1) << (24 - bits));
}

std::uint32_t largest_bits(DataFormat format) {
    constexpr std::uint32_t largest_finite = infinity_bits - 1;
    if (format == DataFormat::Float16) return largest_bits_of(11);
    if (format == DataFormat::Lf8) return largest_bits_of(3);
    if (format == DataFormat::Fp8_e4m3) return bits_of(SmallFloat<4, 3>::decode(SmallFloat<4, 3>::code_mask));
    if (is_block_float(format) && info(format).family == FormatFamily::A)
        return largest_bits_of(info(format).magnitude_bits);
    return largest_finite;
}

}  // namespace

float largest_number(DataFormat format) { return float_of(largest_bits(format)); }

std::int64_t max_exact_integer(DataFormat format, bool tf32) {
    constexpr int bfloat_bits = 8, half_bits = 11;  // significand bits, including the hidden bit
    if (is_block_float(format)) return std::int64_t{1} << info(format).magnitude_bits;
    const bool wide = format == DataFormat::Float16 || (tf32 && format == DataFormat::Float32);
    return std::int64_t{1} << (wide ? half_bits : bfloat_bits);
}

std::int64_t count_saturated(DataFormat format, ConstMatrixView values) {
    if (is_integer(format) || is_raw(format) || format == DataFormat::Invalid) return 0;
    const bool saturates = largest_bits(format) != infinity_bits - 1;
    const std::uint32_t below = saturates ? largest_bits(format) - 1 : infinity_bits - 1;
    // Blocks of 2^32 elements, which the sum could not count, do not fit into memory.
    return sum_of_elements(values, [below](std::uint32_t b) { return 0U - less_mask(below, b & ~sign_bit); });
}

}  // namespace ttsim::impl
