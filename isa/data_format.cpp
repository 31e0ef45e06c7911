#include "isa/data_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/error.hpp"
#include "base/text.hpp"

namespace ttsim::impl {

namespace {

using enum DataFormat;

constexpr std::array table{
    FormatInfo{Float32, "Float32", 0, 32, false, 0, FormatFamily::Float32},
    FormatInfo{Tf32, "Tf32", 4, 32, false, 0, FormatFamily::Float32},
    FormatInfo{Float16, "Float16", 1, 16, false, 0, FormatFamily::A},
    FormatInfo{Float16_b, "Float16_b", 5, 16, false, 0, FormatFamily::B},
    FormatInfo{Bfp8, "Bfp8", 2, 8, true, 7, FormatFamily::A},
    FormatInfo{Bfp8_b, "Bfp8_b", 6, 8, true, 7, FormatFamily::B},
    FormatInfo{Bfp4, "Bfp4", 3, 4, true, 3, FormatFamily::A},
    FormatInfo{Bfp4_b, "Bfp4_b", 7, 4, true, 3, FormatFamily::B},
    FormatInfo{Bfp2, "Bfp2", 11, 2, true, 1, FormatFamily::A},
    FormatInfo{Bfp2_b, "Bfp2_b", 15, 2, true, 1, FormatFamily::B},
    FormatInfo{Lf8, "Lf8", 10, 8, false, 0, FormatFamily::A},
    FormatInfo{Fp8_e4m3, "Fp8_e4m3", 0x1A, 8, false, 0, FormatFamily::A},
    FormatInfo{Int8, "Int8", 14, 8, false, 0, FormatFamily::Integer},
    FormatInfo{UInt8, "UInt8", 30, 8, false, 0, FormatFamily::Integer},
    FormatInfo{Int32, "Int32", 8, 32, false, 0, FormatFamily::Integer},
    FormatInfo{UInt16, "UInt16", 9, 16, false, 0, FormatFamily::Integer},
    FormatInfo{RawUInt8, "RawUInt8", 0xF0, 8, false, 0, FormatFamily::Raw},
    FormatInfo{RawUInt16, "RawUInt16", 0xF1, 16, false, 0, FormatFamily::Raw},
    FormatInfo{RawUInt32, "RawUInt32", 0xF2, 32, false, 0, FormatFamily::Raw},
    FormatInfo{Invalid, "Invalid", 0xFF, 0, false, 0, FormatFamily::None},
};

constexpr bool in_enum_order() {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (static_cast<std::size_t>(table[i].format) != i) return false;
    return true;
}
static_assert(in_enum_order(), "info() indexes the table by the enum");

/// One byte per 16 elements, at least 16 bytes, the smallest read of the hardware.
std::int64_t exponent_bytes(TileDim dim) { return std::max<std::int64_t>(16, (dim.elements() + 15) / 16); }

}  // namespace

const FormatInfo& info(DataFormat format) {
    const auto index = static_cast<std::size_t>(format);
    TT_CHECK(index < table.size(), "data format number {}", index);
    return table[index];
}

std::span<const FormatInfo> all_formats() { return table; }

std::optional<DataFormat> parse_format(std::string_view name) {
    for (const FormatInfo& f : table)  // most names are spelt like this
        if (f.name == name) return f.format;
    const std::string wanted = to_lower(name);
    for (const FormatInfo& f : table)
        if (to_lower(f.name) == wanted) return f.format;
    return std::nullopt;
}

std::int64_t tile_body_bytes(DataFormat format, TileDim dim) {
    const FormatInfo& f = info(format);
    const std::int64_t elements = (std::int64_t{dim.elements()} * f.element_bits + 7) / 8;
    return f.block_float ? exponent_bytes(dim) + elements : elements;
}

std::int64_t tile_bytes(DataFormat format, TileDim dim, std::int64_t alignment) {
    return (tile_header_bytes + tile_body_bytes(format, dim) + alignment - 1) / alignment * alignment;
}

std::int64_t element_bytes(DataFormat format) { return (info(format).element_bits + 7) / 8; }

}  // namespace ttsim::impl
