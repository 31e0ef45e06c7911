#include "kernels/formats/unpack.hpp"

#include <bit>

#include "base/error.hpp"
#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl::exact {

namespace {

constexpr std::uint32_t integer_exponent = 16;

std::uint32_t float32_to_fp16(std::uint32_t bits) {
    const auto exponent = static_cast<int>((bits >> 23) & 0xFF) - 112;
    const std::uint32_t sign = bits & sign_bit;
    if (exponent < 0) return sign;
    if (exponent > 31) return sign | 0x0FFFE000U;
    return sign | static_cast<std::uint32_t>(exponent) << 23 | (bits & 0x007FE000U);
}

std::uint32_t integer_word(std::uint32_t magnitude, std::uint32_t sign) {
    return sign << 31 | (magnitude == 0 ? 0 : integer_exponent << 23) | magnitude << 13;
}

/// Raw bits in the BF16 position, arranged so that Dst stores them unchanged.
std::uint32_t raw_word(std::uint32_t element) {
    return std::uint32_t{natural_bf16(static_cast<std::uint16_t>(element))} << 16;
}

std::uint32_t read_element(std::span<const std::uint8_t> body, std::size_t index, std::size_t size) {
    std::uint32_t element = 0;
    for (std::size_t i = 0; i < size; ++i) element |= std::uint32_t{body[index * size + i]} << (8 * i);
    return element;
}

}  // namespace

bool can_unpack(DataFormat from) {
    return is_block_float(from) || from == DataFormat::Float32 || from == DataFormat::Float16_b ||
           from == DataFormat::Float16 || from == DataFormat::Lf8 || from == DataFormat::Int8 ||
           from == DataFormat::UInt8 || from == DataFormat::UInt16;
}

std::uint32_t unpack_element(DataFormat from, DataFormat to, bool is_unsigned, std::uint32_t element) {
    switch (from) {
        case DataFormat::Float32:
            if (to == DataFormat::Tf32) return element & ~0x1FFFU;
            if (to == DataFormat::Float16) return float32_to_fp16(element);
            return (element & infinity_bits) == 0 ? element & sign_bit : element & ~0xFFFFU;
        case DataFormat::Float16_b:
            return element << 16;
        case DataFormat::Float16:
            return (element & 0x8000U) << 16 | (element & 0x7FFFU) << 13;
        case DataFormat::Lf8:
            return (element & 0x80U) << 24 | (element & 0x7FU) << 21;
        case DataFormat::Int8:
        case DataFormat::UInt8: {
            const bool no_sign = is_unsigned || from == DataFormat::UInt8;
            return no_sign ? integer_word(element, 0) : integer_word(element & 0x7FU, element >> 7);
        }
        case DataFormat::UInt16:
            return raw_word(element);
        case DataFormat::Tf32:
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
        case DataFormat::Fp8_e4m3:
        case DataFormat::Int32:
        case DataFormat::RawUInt8:
        case DataFormat::RawUInt16:
        case DataFormat::RawUInt32:
        case DataFormat::Invalid:
            break;
    }
    TT_CHECK(false, "{} has no elements for the source registers", to_string(from));
    return 0;
}

std::uint32_t unpack_block_element(DataFormat from, std::uint32_t exponent, std::uint32_t element) {
    const bool is_fp16a = info(from).family == FormatFamily::A;
    const int bits = info(from).magnitude_bits;
    const std::uint32_t sign = element >> bits << 31;
    const std::uint32_t magnitude = (element & ((1U << bits) - 1)) << (7 - bits);
    const std::uint32_t mask = is_fp16a ? 0x1F : 0xFF;
    if (magnitude == 0) return sign == 0 ? 0 : sign | mask << 23;
    const auto zeros = static_cast<std::uint32_t>(7 - std::bit_width(magnitude));
    const std::uint32_t mantissa = (magnitude << zeros) & 0x3FU;
    return sign | ((exponent - zeros) & mask) << 23 | mantissa << 17;
}

void unpack_tile(DataFormat from, DataFormat to, bool is_unsigned, std::span<const std::uint8_t> body,
                 std::span<std::uint32_t> registers) {
    TT_CHECK(body.size() == static_cast<std::size_t>(tile_body_bytes(from, {})) && registers.size() == 1024,
             "{} bytes of a {} tile to {} registers", body.size(), to_string(from), registers.size());
    if (!is_block_float(from)) {
        const auto size = static_cast<std::size_t>(info(from).element_bits) / 8;
        for (std::size_t i = 0; i < registers.size(); ++i)
            registers[i] = unpack_element(from, to, is_unsigned, read_element(body, i, size));
        return;
    }
    const auto width = static_cast<std::size_t>(info(from).element_bits);
    for (std::size_t i = 0; i < registers.size(); ++i) {
        const std::uint32_t code = (std::uint32_t{body[64 + i * width / 8]} >> (i * width % 8)) & ((1U << width) - 1);
        registers[i] = unpack_block_element(from, body[i / 16], code);
    }
}

std::uint32_t source_bits(bool fp16, std::uint32_t word) {
    if (!fp16) return word;
    if ((word & 0x0F800000U) == 0) return word & sign_bit;
    return (word & sign_bit) | ((word & 0x0FFFFFFFU) + (112U << 23));
}

std::uint32_t wrapped_block_exponent(std::uint32_t bits) {
    const std::uint32_t mantissa = bits & 0x007FFFFFU;
    if ((bits & infinity_bits) != 0 || mantissa == 0) return bits;
    const auto zeros = static_cast<std::uint32_t>(23 - std::bit_width(mantissa));  // subtracted from exponent field 0
    return (bits & sign_bit) | ((0U - zeros) & 0xFF) << 23 | ((mantissa << (zeros + 1)) & 0x007FFFFFU);
}

int adjusted_row(int row) { return (row & 0x1F8) << 1 | (row & 0x207); }

std::uint16_t stored_bf16(std::uint16_t natural) {
    return static_cast<std::uint16_t>((natural & 0x8000U) | (natural & 0x7FU) << 8 | ((natural >> 7) & 0xFFU));
}
std::uint16_t natural_bf16(std::uint16_t stored) {
    return static_cast<std::uint16_t>((stored & 0x8000U) | (stored & 0xFFU) << 7 | ((stored >> 8) & 0x7FU));
}

}  // namespace ttsim::impl::exact
