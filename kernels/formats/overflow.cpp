#include "kernels/formats/overflow.hpp"

#include <limits>

#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl {

namespace {

/// 5 exponent bits, all codes numbers: 2^16 is the highest power, and `bits` of a significand count.
constexpr std::uint32_t top_of(int bits) { return ((127U + 16U) << 23) | (((1U << (bits - 1)) - 1) << (24 - bits)); }

std::uint32_t top_bits(DataFormat format) {
    constexpr std::uint32_t eight_bits_of_exponent = infinity_bits - 1;
    if (format == DataFormat::Float16) return top_of(11);
    if (format == DataFormat::Lf8) return top_of(3);
    if (format == DataFormat::Fp8_e4m3) return bits_of(SmallFloat<4, 3>::decode(SmallFloat<4, 3>::code_mask));
    if (is_block_float(format) && info(format).family == FormatFamily::A) return top_of(info(format).magnitude_bits);
    return eight_bits_of_exponent;
}

}  // namespace

float largest_number(DataFormat format) { return float_of(top_bits(format)); }

std::int64_t largest_whole_run(DataFormat format, bool tf32) {
    constexpr int bfloat_bits = 8, half_bits = 11;  // significands, with the bit that is not stored
    if (is_block_float(format)) return std::int64_t{1} << info(format).magnitude_bits;
    const bool wide = format == DataFormat::Float16 || (tf32 && format == DataFormat::Float32);
    return std::int64_t{1} << (wide ? half_bits : bfloat_bits);
}

std::int64_t count_saturated(DataFormat format, ConstMatrixView values) {
    if (is_integer(format) || is_raw(format) || format == DataFormat::Invalid) return 0;
    const bool saturates = top_bits(format) != infinity_bits - 1;
    const std::uint32_t below = saturates ? top_bits(format) - 1 : infinity_bits - 1;
    std::int64_t many = 0;
    for (std::int64_t r = 0; r < values.rows; ++r) {
        const float* row = values.row(r);
        std::uint32_t here = 0;
        for (std::int64_t c = 0; c < values.cols; ++c) here -= less_mask(below, bits_of(row[c]) & ~sign_bit);
        many += here;
    }
    return many;
}

}  // namespace ttsim::impl
