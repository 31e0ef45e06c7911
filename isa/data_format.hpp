// The data formats of the chips: names, codes, sizes, families.
// Sizes and codes: docs/netlist.md section "Data formats" (from the public Buda sources).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/tile.hpp"

namespace ttsim::impl {

enum class DataFormat : std::uint8_t {
    Float32,
    Tf32,
    Float16,    ///< 1-5-10, "a" family: all 32 exponent codes are numbers
    Float16_b,  ///< 1-8-7, "b" family (bfloat16)
    Bfp8,
    Bfp8_b,
    Bfp4,
    Bfp4_b,
    Bfp2,
    Bfp2_b,
    Lf8,  ///< 1-5-2
    Fp8_e4m3,
    Int8,  ///< sign and magnitude
    UInt8,
    Int32,  ///< sign and magnitude
    UInt16,
    RawUInt8,
    RawUInt16,
    RawUInt32,
    Invalid,
};

enum class FormatFamily : std::uint8_t { A, B, Float32, Integer, Raw, None };

struct FormatInfo {
    DataFormat format;
    std::string_view name;  ///< in netlists
    int code;               ///< code in the tile header
    int element_bits;       ///< bits per element, shared exponents not counted
    bool block_float;       ///< one exponent byte per 16 elements
    int magnitude_bits;     ///< block floats: 7, 3 or 1; else 0
    FormatFamily family;
};

const FormatInfo& info(DataFormat format);
std::span<const FormatInfo> all_formats();
std::optional<DataFormat> parse_format(std::string_view name);  ///< any letter case
inline std::string_view to_string(DataFormat format) { return info(format).name; }

inline bool is_block_float(DataFormat f) { return info(f).block_float; }
inline bool is_integer(DataFormat f) { return info(f).family == FormatFamily::Integer; }  ///< Int8 UInt8 Int32 UInt16
inline bool is_raw(DataFormat f) { return info(f).family == FormatFamily::Raw; }

/// Bytes of a tile's body: exponents and elements, without the 16-byte header.
std::int64_t tile_body_bytes(DataFormat format, TileDim dim);
/// Padding of tiles in bytes on chips whose NoC transfers aligned words of 32 bytes; ChipFeatures::noc_alignment.
inline constexpr std::int64_t default_noc_alignment = 32;
/// Bytes of a tile in L1 or DRAM: header and body, rounded up to the chip's `alignment`.
std::int64_t tile_bytes(DataFormat format, TileDim dim, std::int64_t alignment = default_noc_alignment);
/// Bytes of one element in a row-major (untilized, flat) buffer.
std::int64_t element_bytes(DataFormat format);

inline constexpr std::int64_t tile_header_bytes = 16;

}  // namespace ttsim::impl
