// Conversion of float32 data on the host before it is pushed into a queue, and of the integer formats.
#include <cmath>
#include <limits>

#include "kernels/formats/block_group.hpp"
#include "kernels/formats/numerics.hpp"

namespace ttsim::impl {

namespace {

/// Clamps exponents to the 5-bit range 0..31 and keeps the significand, as the vendor's host code does.
constexpr auto saturate_exponent = [](std::uint32_t bits) {
    const std::uint32_t a = bits & ~sign_bit;
    const std::uint32_t mantissa = a & 0x007FFFFFU;
    const std::uint32_t low = (Fp16::lowest_exponent << 23) | mantissa;
    const std::uint32_t high = ((Fp16::lowest_exponent + 31) << 23) | mantissa;
    const std::uint32_t raised = a ^ ((a ^ low) & less_mask(a, low));
    return where_less(least_normal_bits - 1, a, min_magnitude(raised, high) | (bits & sign_bit));
};

template <class Small>
void truncate(MatrixView values) {
    for_each_element(values, [](std::uint32_t b) { return Small::truncate(b); });
}

template <Reduce How>
void convert_blocks(const FormatInfo& format, MatrixView values) {
    if (format.family == FormatFamily::A)
        round_groups<How>(values, format.magnitude_bits, 0, saturate_exponent);
    else
        round_groups<How>(values, format.magnitude_bits, 0, [](std::uint32_t bits) { return bits; });
}

}  // namespace

void host_convert(DataFormat format, MatrixView values, BlockRounding rounding) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::RawUInt8:
        case DataFormat::RawUInt16:
        case DataFormat::RawUInt32:
        case DataFormat::Invalid:
            return;
        case DataFormat::Tf32:
            return for_each_element(values, [](std::uint32_t b) { return b & ~0x1FFFU; });
        case DataFormat::Float16_b:
            return for_each_element(values, [](std::uint32_t b) { return b & ~0xFFFFU; });
        case DataFormat::Float16:
            return truncate<Fp16>(values);
        case DataFormat::Lf8:
            return truncate<Fp8E5>(values);
        case DataFormat::Fp8_e4m3:
            return truncate<Fp8E4>(values);
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
            return rounding == BlockRounding::HalfUp ? convert_blocks<Reduce::HalfUp>(info(format), values)
                                                     : convert_blocks<Reduce::Truncate>(info(format), values);
        case DataFormat::Int8:
        case DataFormat::UInt8:
        case DataFormat::Int32:
        case DataFormat::UInt16:
            return saturate_to_integer(format, values);
    }
}

void saturate_to_integer(DataFormat format, MatrixView values) {
    float high = 2147483648.0F;  // the float32 next to 2^31 - 1
    if (format == DataFormat::Int8) high = 127.0F;
    if (format == DataFormat::UInt8) high = 255.0F;
    if (format == DataFormat::UInt16) high = 65535.0F;
    const bool has_sign = format != DataFormat::UInt8 && format != DataFormat::UInt16;
    const std::uint32_t limit = bits_of(high);
    const std::uint32_t negative_limit = has_sign ? limit : 0;
    for_each_element(values, [=](std::uint32_t bits) {
        const std::uint32_t negative = 0U - (bits >> 31);
        const std::uint32_t a =
            min_magnitude(bits & ~sign_bit, limit ^ ((limit ^ negative_limit) & negative));  // NaN too
        // Float32 values from 2^23 on are integers.
        constexpr std::uint32_t first_integer = 0x4B000000U;
        const float small = float_of(min_magnitude(a, first_integer));
        const auto cut = static_cast<float>(static_cast<std::int32_t>(small));
        const std::uint32_t increment = where_less(bits_of(0.5F) - 1, bits_of(small - cut), bits_of(1.0F));
        const std::uint32_t rounded = bits_of(cut + float_of(increment));
        const std::uint32_t result = where_less(a, first_integer, rounded) | where_less(first_integer - 1, a, a);
        return result | where_less(0, result, bits & sign_bit);
    });
}

}  // namespace ttsim::impl
