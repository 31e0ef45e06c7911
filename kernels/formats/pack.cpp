// Rounding of the packer: Dst to intermediate (early step), intermediate to the format in L1 (late step).
// The vendor's compiler configures these intermediate formats:
// out Bfp*_b / Bfp*: Bfp8_b / Bfp8, half up to 6 mantissa bits, then the shared-exponent rounding (two roundings)
// out Float16_b: Float16_b, half up from a 32-bit Dst
// otherwise: the Dst format; the late step truncates
// Packing between families applies both ranges: B to A saturates and flushes at the 5-bit exponent, A to B widens the
// exponent. Lf8, Fp8_e4m3 and Tf32 are truncated with saturation, as on the host. Integer outputs of a float Dst round
// half away from zero and saturate.
#include "kernels/formats/block_group.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/round_bfp8.hpp"

namespace ttsim::impl {

namespace {

// Each step has its own type, so that loops over elements inline it.

constexpr std::uint32_t mask_below(std::uint32_t bit) { return (bit << 1) - 1; }

constexpr std::uint32_t half_of_7_bits = 0x8000;
constexpr std::uint32_t half_of_6_bits = 0x10000;

/// Early step for 8-bit exponents: NaN to infinity, half up at `Half`. Exponent 0 becomes +0; for 7 bits the exponent
/// of the rounded element counts, for 6 bits that of the original.
template <std::uint32_t Half>
constexpr auto round_b = [](std::uint32_t bits) {
    const std::uint32_t before = min_magnitude(bits & ~sign_bit, infinity_bits);
    const std::uint32_t a = (before + Half) & ~mask_below(Half);
    return where_less(least_normal_bits - 1, Half == half_of_6_bits ? before : a, a | (bits & sign_bit));
};

/// Early step from FP16 to Bfp8: half up to 6 mantissa bits, saturating at the largest number.
constexpr auto round_a = [](std::uint32_t bits) {
    constexpr std::uint32_t largest = Fp16::largest & ~mask_below(half_of_6_bits);
    const std::uint32_t a =
        (min_magnitude(bits & ~sign_bit, Fp16::largest) + half_of_6_bits) & ~mask_below(half_of_6_bits);
    return where_less(Fp16::least_normal - 1, bits & ~sign_bit, min_magnitude(a, largest) | (bits & sign_bit));
};

/// Late step from Float32 to FP16: truncates and saturates. Exponent code 0 keeps its mantissa and so is a denormal.
constexpr auto cut_to_fp16 = [](std::uint32_t bits) {
    const std::uint32_t a = bits & ~sign_bit;
    const float denormal = static_cast<float>(static_cast<std::int32_t>((a >> 13) & 0x3FFU)) * 0x1p-24F;
    const std::uint32_t low = where_less((Fp16::lowest_exponent << 23) - 1, a, bits_of(denormal));
    const std::uint32_t normal = min_magnitude(a, Fp16::largest) & Fp16::kept;
    return (static_cast<std::int32_t>(a) < static_cast<std::int32_t>(Fp16::least_normal) ? low : normal) |
           (bits & sign_bit);
};

constexpr auto flush_fp16 = [](std::uint32_t bits) {
    const std::uint32_t a = bits & ~sign_bit;
    return where_less(Fp16::least_normal - 1, a, min_magnitude(a, Fp16::largest) | (bits & sign_bit));
};

/// Clamps integers; the sign is kept, even of a zero.
constexpr auto clamp_to_int8 = [](std::uint32_t bits) {
    return min_magnitude(bits & ~sign_bit, bits_of(127.0F)) | (bits & sign_bit);
};

void pack_float32(DataFormat acc, MatrixView values) {
    if (info(acc).family == FormatFamily::A) for_each_element(values, flush_fp16);
    if (info(acc).family == FormatFamily::B) for_each_element(values, round_b<half_of_7_bits>);
}

/// A group of Bfp8_b with a shared exponent at the ends of the range.
void round_bfp8_group(float* group) { round_group<7, Reduce::Packer>(group, 0, round_b<half_of_6_bits>); }

void pack_blocks(DataFormat acc, const FormatInfo& out, MatrixView values) {
    if (info(acc).family == FormatFamily::A || out.family == FormatFamily::A)
        round_groups<Reduce::Packer>(values, out.magnitude_bits, 0, round_a);
    else if (out.magnitude_bits == 7 && values.cols % group_size == 0 && can_round_bfp8_fast())
        round_bfp8_fast(values, round_bfp8_group);
    else
        round_groups<Reduce::Packer>(values, out.magnitude_bits, 0, round_b<half_of_6_bits>);
}

}  // namespace

bool intermediate_is_float32(DataFormat acc, DataFormat out) {
    return acc == DataFormat::Float32 && !is_block_float(out) && out != DataFormat::Float16_b;
}

void pack_early_step(DataFormat acc, DataFormat out, MatrixView values) {
    const bool from_fp16 = info(acc).family == FormatFamily::A;
    if (is_integer(acc) || intermediate_is_float32(acc, out)) return;
    if (is_block_float(out) && (from_fp16 || info(out).family == FormatFamily::A))
        return for_each_element(values, round_a);
    if (is_block_float(out)) return for_each_element(values, round_b<half_of_6_bits>);
    if (from_fp16) return for_each_element(values, flush_fp16);
    for_each_element(values, round_b<half_of_7_bits>);
}

void pack_from_dest(DataFormat acc, DataFormat out, MatrixView values) {
    const bool from_fp16 = info(acc).family == FormatFamily::A;
    switch (out) {
        case DataFormat::Float32:
            return pack_float32(acc, values);
        case DataFormat::Tf32:
            pack_float32(acc, values);
            return host_convert(out, values);
        case DataFormat::Float16_b:
            if (from_fp16) return for_each_element(values, [](std::uint32_t b) { return flush_fp16(b) & ~0xFFFFU; });
            return for_each_element(values, round_b<half_of_7_bits>);
        case DataFormat::Float16:
            if (from_fp16) return for_each_element(values, flush_fp16);
            pack_early_step(acc, out, values);
            return for_each_element(values, cut_to_fp16);
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
            return pack_blocks(acc, info(out), values);
        case DataFormat::Int8:
            if (is_integer(acc)) return for_each_element(values, clamp_to_int8);
            return saturate_to_integer(out, values);
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::UInt8:
        case DataFormat::Int32:
        case DataFormat::UInt16:
        case DataFormat::RawUInt8:
        case DataFormat::RawUInt16:
        case DataFormat::RawUInt32:
        case DataFormat::Invalid:
            return host_convert(out, values);
    }
}

}  // namespace ttsim::impl
