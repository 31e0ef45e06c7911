#include "kernels/exact/pack.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/unpack.hpp"

namespace ttsim::impl::exact {

namespace {

bool is_fp16_kind(DataFormat intermediate) {
    return intermediate == DataFormat::Float16 || intermediate == DataFormat::Bfp8;
}

/// Rounds half up at `half`; NaN becomes infinity, exponent 0 becomes +0. Float32 bits.
std::uint32_t round_wide(std::uint32_t bits, std::uint32_t half) {
    const std::uint32_t a = (std::min(bits & ~sign_bit, infinity_bits) + half) & ~(2 * half - 1);
    return a < least_normal_bits ? 0 : a | (bits & sign_bit);
}
constexpr std::uint32_t half_of_7_bits = 0x8000, half_of_6_bits = 0x10000;

/// On FP16 patterns.
std::uint32_t flush_fp16(std::uint32_t h) { return (h & 0x7C00U) == 0 ? 0 : h; }
std::uint32_t round_fp16(std::uint32_t h) {
    const std::uint32_t a = h & 0x7FFFU;
    const std::uint32_t rounded = a > 0x7FF7U ? 0x7FF0U : (a + 8) & ~15U;
    return rounded < 0x0400U ? 0 : rounded | (h & 0x8000U);
}

std::uint32_t clamp_integer(bool is_unsigned, std::uint32_t element) {
    const std::uint32_t magnitude = element & ~sign_bit;
    if (is_unsigned) return (element & sign_bit) != 0 ? 0 : std::min(magnitude, 255U);
    return (element & sign_bit) | std::min(magnitude, 127U);
}

std::uint32_t early(const PackConfig& config, std::uint32_t element) {
    if (config.source == PackSource::Raw16) return element;
    if (config.source == PackSource::Fp16)
        return config.intermediate == DataFormat::Bfp8 ? round_fp16(element) : flush_fp16(element);
    const bool wide = config.source == PackSource::Bits32;
    const std::uint32_t bits = wide ? element : element << 16;
    const DataFormat to = config.intermediate;
    if (to == DataFormat::Float16_b) return round_wide(bits, half_of_7_bits);
    if (to == DataFormat::Bfp8_b) return (bits & infinity_bits) == 0 ? 0 : round_wide(bits, half_of_6_bits);
    if (to == DataFormat::Int8 || to == DataFormat::UInt8)
        return clamp_integer(config.is_unsigned || to == DataFormat::UInt8, element);
    if (to == DataFormat::UInt16) return stored_bf16(static_cast<std::uint16_t>(bits >> 16));
    return element;
}

std::uint32_t relu(const PackConfig& config, std::uint32_t value) {
    const bool fp16 = is_fp16_kind(config.intermediate);
    if ((value & (fp16 ? 0x8000U : sign_bit)) != 0) return 0;
    const std::uint32_t threshold = fp16 ? config.relu_threshold : std::uint32_t{config.relu_threshold} << 16;
    if (config.relu_mode == 2) return value <= threshold ? 0 : value;
    const int ignored_bits = config.intermediate == DataFormat::Float32 ? 13 : 0;
    if (config.relu_mode == 3) return value >> ignored_bits > threshold >> ignored_bits ? threshold : value;
    return value;
}

/// FP16 pattern to float32 bits; exponent 0 to +0.
std::uint32_t widen(std::uint32_t h) {
    if ((h & 0x7C00U) == 0) return 0;
    return (h & 0x8000U) << 16 | ((h & 0x7FFFU) + (112U << 10)) << 13;
}

std::uint32_t fp16_bits(std::uint32_t bits) {
    const auto exponent = static_cast<int>((bits >> 23) & 0xFF) - 112;
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    if (exponent < 0) return sign;
    if (exponent > 31) return sign | 0x7FFFU;
    return sign | static_cast<std::uint32_t>(exponent) << 10 | ((bits >> 13) & 0x3FFU);
}

std::uint32_t add_float32(std::uint32_t old, std::uint32_t added) {
    const auto flushed = [](std::uint32_t bits) { return (bits & infinity_bits) == 0 ? bits & sign_bit : bits; };
    const float sum = float_of(flushed(old)) + float_of(flushed(added));
    return sum != sum ? 0x7FC00000U : flushed(bits_of(sum));
}

double double_of_exponent(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}
/// Rounds to nearest even at `mantissa` bits below the leading one.
double round_double(double x, int mantissa) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const int dropped = 52 - mantissa;
    const std::uint64_t odd = (bits >> dropped) & 1;
    bits += ((std::uint64_t{1} << (dropped - 1)) - 1) + odd;
    return std::bit_cast<double>(bits & ~((std::uint64_t{1} << dropped) - 1));
}

constexpr double largest_double = 1.7976931348623157e308;

std::uint32_t add_bf16(std::uint32_t old, std::uint32_t added) {
    const auto value = [](std::uint32_t word, bool in_l1) {
        const bool special = (word & 0x7F80U) == 0x7F80U;
        const double sign = (word & 0x8000U) != 0 ? -1.0 : 1.0;
        if (special && (word & 0x7FU) != 0)
            return sign * (in_l1 ? largest_double : double_of_exponent(128) * (1.0 + (word & 0x7FU) / 128.0));
        if ((word & 0x7F80U) == 0) return sign * 0.0;
        return double{float_of(word << 16)};
    };
    const double sum = value(old, true) + value(added, false);
    if (sum != sum) return 0x7FC0U;
    const std::uint32_t sign = std::bit_cast<std::uint64_t>(sum) >> 63 != 0 ? 0x8000U : 0;
    const double magnitude = sign != 0 ? -sum : sum;
    if (magnitude < double_of_exponent(-126)) return sign;
    if (magnitude >= double_of_exponent(128)) return sign | 0x7F80U;
    const double rounded = round_double(magnitude, 7);
    if (rounded >= double_of_exponent(128)) return sign | 0x7F80U;
    return sign | bits_of(static_cast<float>(rounded)) >> 16;
}

std::uint32_t add_fp16(std::uint32_t old, std::uint32_t added) {
    const auto value = [](std::uint32_t word) { return double{float_of(widen(word & 0xFFFFU))}; };
    const double sum = value(old) + value(added);
    const bool both_zero = (old & 0x7C00U) == 0 && (added & 0x7C00U) == 0;
    if (sum == 0.0) {
        if (!both_zero && (old & 0x7C00U) >= 30U << 10) return 0x7FFFU;
        return both_zero ? old & added & 0x8000U : 0;
    }
    const std::uint32_t sign = sum < 0 ? 0x8000U : 0;
    const double rounded = round_double(sum < 0 ? -sum : sum, 10);
    if (rounded < double_of_exponent(-15)) return sign | 0x7FFFU;
    if (rounded < double_of_exponent(-14)) return sign;
    if (rounded >= double_of_exponent(17)) return sign | 0x7FFFU;
    return sign | (bits_of(static_cast<float>(rounded)) - (112U << 23)) >> 13;
}

}  // namespace

bool can_pack(const PackConfig& config) {
    const FormatFamily out = info(config.out).family;
    const bool plain = config.out == DataFormat::Float32 || config.out == DataFormat::Float16_b;
    if (is_fp16_kind(config.intermediate))
        return config.source == PackSource::Fp16 &&
               (plain || config.out == DataFormat::Float16 || is_block_float(config.out));
    if (config.source == PackSource::Fp16) return false;
    if (is_integer(config.intermediate)) return config.out == config.intermediate;
    return plain || config.out == DataFormat::Float16 || (is_block_float(config.out) && out == FormatFamily::B);
}

std::uint32_t pack_early(const PackConfig& config, std::uint32_t element) {
    const std::uint32_t value = early(config, element);
    return config.relu_mode == 0 ? value : relu(config, value);
}

std::uint32_t pack_late(const PackConfig& config, std::uint32_t value) {
    const bool fp16 = is_fp16_kind(config.intermediate);
    if (config.out == DataFormat::Float32) return fp16 ? widen(value) : value;
    if (config.out == DataFormat::Float16_b) return (fp16 ? widen(value) : value) >> 16;
    if (config.out == DataFormat::Float16) return fp16 ? value : fp16_bits(value);
    if (config.out == DataFormat::Int8 && !config.is_unsigned) return (value >> 24 & 0x80U) | (value & 0xFFU);
    return value;
}

PackedBlock pack_block(const PackConfig& config, std::span<const std::uint32_t, 16> intermediates) {
    const bool fp16 = is_fp16_kind(config.intermediate);
    const int bits = info(config.out).magnitude_bits;
    std::uint32_t shared = 0;
    std::uint32_t wide[16];
    for (std::size_t i = 0; i < 16; ++i) {
        wide[i] = fp16 ? widen(intermediates[i]) : intermediates[i];
        shared = std::max(shared, (wide[i] >> 23) & 0xFF);
    }
    PackedBlock block{};
    const bool is_fp16a = info(config.out).family == FormatFamily::A;
    block.exponent = static_cast<std::uint8_t>(is_fp16a && shared != 0 ? shared - 112 : shared);
    for (std::size_t i = 0; i < 16; ++i) {
        const std::uint32_t own = (wide[i] >> 23) & 0xFF;
        const std::uint32_t significand = own == 0 ? 0 : 0x80U | ((wide[i] >> 16) & 0x7FU);
        const std::uint32_t rounded = ((significand >> std::min(shared - own, 31U)) + 1) >> 1;
        const std::uint32_t code = std::min(rounded, 127U) >> (7 - bits);
        block.codes[i] = static_cast<std::uint8_t>(code == 0 ? 0 : code | wide[i] >> 31 << bits);
    }
    return block;
}

void pack_tile(const PackConfig& config, std::span<const std::uint32_t> dest, std::span<std::uint8_t> body) {
    TT_CHECK(dest.size() == 1024 && body.size() == static_cast<std::size_t>(tile_body_bytes(config.out, {})),
             "{} elements to {} bytes of a {} tile", dest.size(), body.size(), to_string(config.out));
    std::fill(body.begin(), body.end(), std::uint8_t{0});
    const auto width = static_cast<std::size_t>(info(config.out).element_bits);
    for (std::size_t row = 0; row < 64; ++row) {
        std::uint32_t values[16];
        for (std::size_t i = 0; i < 16; ++i) values[i] = pack_early(config, dest[row * 16 + i]);
        if (is_block_float(config.out)) {
            const PackedBlock block = pack_block(config, values);
            body[row] = block.exponent;
            for (std::size_t i = 0; i < 16; ++i) {
                const std::size_t bit = (row * 16 + i) * width;
                body[64 + bit / 8] |= static_cast<std::uint8_t>(block.codes[i] << (bit % 8));
            }
            continue;
        }
        for (std::size_t i = 0; i < 16; ++i) {
            const std::uint32_t element = pack_late(config, values[i]);
            for (std::size_t b = 0; b < width / 8; ++b)
                body[(row * 16 + i) * width / 8 + b] = static_cast<std::uint8_t>(element >> (8 * b));
        }
    }
}

std::uint32_t accumulate_in_l1(DataFormat format, std::uint32_t old, std::uint32_t added) {
    if (format == DataFormat::Float16_b) return add_bf16(old, added);
    if (format == DataFormat::Float16) return add_fp16(old, added);
    TT_CHECK(format == DataFormat::Float32, "no sums in L1 of {}", to_string(format));
    return add_float32(old, added);
}

}  // namespace ttsim::impl::exact
