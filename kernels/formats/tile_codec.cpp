#include "kernels/formats/tile_codec.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "kernels/formats/block_group.hpp"
#include "kernels/instruction_set.hpp"

namespace ttsim::impl {

namespace {

/// Calls f(row, first column, elements before) for every run of up to 16 elements in memory order: faces top-left,
/// top-right, bottom-left, bottom-right, rows inside a face. Raw formats have no faces.
template <class F>
void for_each_run(TileDim dim, bool faces, F f) {
    const std::int32_t face_h = faces ? std::min(dim.h, face_edge) : 1;
    std::int64_t index = 0;
    for (std::int32_t face_r = 0; face_r < dim.h; face_r += face_h)
        for (std::int32_t c = 0; c < dim.w; c += face_edge)
            for (std::int32_t r = face_r; r < std::min(face_r + face_h, dim.h); ++r, index += face_edge) f(r, c, index);
}

// The function is a template argument, so that it is inlined and the loop is vectorized.
template <class Code, auto Encode, bool Faces = true>
void encode_elements(TileDim dim, const ConstMatrixView& tile, std::uint8_t* body) {
    for_each_run(dim, Faces, [&](std::int32_t r, std::int32_t c, std::int64_t index) {
        const float* in = tile.row(r) + c;
        std::array<Code, face_edge> codes;
        for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<Code>(Encode(in[i]));
        std::memcpy(body + index * std::int64_t{sizeof(Code)}, codes.data(), sizeof(codes));
    });
}

template <class Code, auto Decode, bool Faces = true>
void decode_elements(TileDim dim, const std::uint8_t* body, const MatrixView& tile) {
    for_each_run(dim, Faces, [&](std::int32_t r, std::int32_t c, std::int64_t index) {
        const std::uint8_t* in = body + index * std::int64_t{sizeof(Code)};
        float* out = tile.row(r) + c;
        for (std::size_t i = 0; i < face_edge; ++i) {
            Code code;
            std::memcpy(&code, in + i * sizeof(code), sizeof(code));
            out[i] = Decode(std::uint32_t{code});
        }
    });
}

std::uint32_t encode_float16_b(float value) { return bits_of(value) >> 16; }
float decode_float16_b(std::uint32_t code) { return float_of(code << 16); }

// Integers: sign and magnitude, or magnitude only. Callers saturate; the limits only keep conversions defined.
template <unsigned MagnitudeBits, bool Signed>
std::uint32_t encode_integer(float value) {
    constexpr std::uint32_t largest = (1U << MagnitudeBits) - 1;
    constexpr float limit = 2147483520.0F;  // the largest float32 below 2^31
    const std::uint32_t bits = bits_of(value);
    const float a = float_of(bits & ~sign_bit);
    const auto integer = static_cast<std::uint32_t>(static_cast<std::int32_t>(a < limit ? a : limit));
    const std::uint32_t magnitude = a > limit ? largest : min_magnitude(integer, largest);
    return Signed ? magnitude | (bits >> 31 << MagnitudeBits) : magnitude;
}

template <unsigned MagnitudeBits, bool Signed>
float decode_integer(std::uint32_t code) {
    constexpr std::uint32_t mask = (1U << MagnitudeBits) - 1;
    const auto magnitude = static_cast<float>(static_cast<std::int32_t>(code & mask));
    return Signed ? float_of(bits_of(magnitude) | (code >> MagnitudeBits << 31)) : magnitude;
}

static_assert(std::endian::native == std::endian::little, "codes are copied to and from little-endian memory");

/// A mask of the low `width` bits of every field of `field` bits.
constexpr std::uint64_t fields(std::size_t field, std::size_t width) {
    std::uint64_t mask = 0;
    for (std::size_t at = 0; at < 64; at += field) mask |= (~std::uint64_t{0} >> (64 - width)) << at;
    return mask;
}

/// Packs codes of Bits magnitude bits and a sign into bytes, low bits first. 8 bytes of one element each are folded
/// into 8 * width bits by halves; get_codes() reverses this.
template <int Bits>
void put_codes(const std::uint8_t* codes, std::uint8_t* out) {
    constexpr std::size_t width = Bits + 1;
    for (std::size_t half = 0; half < 2; ++half) {
        std::uint64_t x;
        std::memcpy(&x, codes + half * 8, sizeof(x));
        x = (x | x >> (8 - width)) & fields(16, 2 * width);
        x = (x | x >> (16 - 2 * width)) & fields(32, 4 * width);
        x = x | x >> (32 - 4 * width);
        std::memcpy(out + half * width, &x, width);
    }
}

template <int Bits>
void get_codes(const std::uint8_t* in, std::uint8_t* codes) {
    constexpr std::size_t width = Bits + 1;
    for (std::size_t half = 0; half < 2; ++half) {
        std::uint64_t x = 0;
        std::memcpy(&x, in + half * width, width);
        x = (x | x << (32 - 4 * width)) & fields(32, 4 * width);
        x = (x | x << (16 - 2 * width)) & fields(16, 2 * width);
        x = (x | x << (8 - width)) & fields(8, width);
        std::memcpy(codes + half * 8, &x, sizeof(x));
    }
}

// The codes of a complete tile are buffered between groups and packed elements. Narrowing, widening or folding them at
// once gives long vector loops without store-to-load stalls.
constexpr std::size_t max_elements = tile_edge * tile_edge;

template <int Bits>
void encode_blocks(TileDim dim, std::uint32_t exponent_offset, const ConstMatrixView& tile, std::uint8_t* exponents,
                   std::uint8_t* elements) {
    std::array<std::uint32_t, max_elements> wide;
    for_each_run(dim, true, [&](std::int32_t r, std::int32_t c, std::int64_t index) {
        const float* in = tile.row(r) + c;
        Group magnitudes;
        for (std::size_t i = 0; i < magnitudes.size(); ++i) magnitudes[i] = bits_of(in[i]) & ~sign_bit;
        const std::uint32_t shared = std::max(shared_exponent(magnitudes), exponent_offset);
        std::uint32_t* codes = wide.data() + index;
        const auto put = [&](std::size_t i, std::uint32_t magnitude) {
            codes[i] = with_sign(magnitude, bits_of(in[i]) >> 31 << Bits);
        };
        if (scales_as_float(shared)) {
            const float scale = magnitude_scale<Bits, Reduce::Truncate>(shared);
            for (std::size_t i = 0; i < magnitudes.size(); ++i)
                put(i, scaled_magnitude<Bits, Reduce::Truncate>(magnitudes[i], scale));
        } else {
            for (std::size_t i = 0; i < magnitudes.size(); ++i)
                put(i, shifted_magnitude<Bits, Reduce::Truncate>(magnitudes[i], shared));
        }
        exponents[index / group_size] = static_cast<std::uint8_t>(
            std::min(shared - exponent_offset, exponent_offset != 0 ? std::uint32_t{31} : std::uint32_t{255}));
    });
    std::array<std::uint8_t, max_elements> narrow;
    std::uint8_t* const codes = Bits == 7 ? elements : narrow.data();
    for (std::int64_t i = 0; i < dim.elements(); ++i)
        codes[i] = static_cast<std::uint8_t>(wide[static_cast<std::size_t>(i)]);
    if (Bits != 7)
        for (std::int64_t at = 0; at < dim.elements(); at += group_size)
            put_codes<Bits>(codes + at, elements + at * (Bits + 1) / 8);
}

/// Not inlined, so that the usual path has the registers for itself.
template <int Bits>
[[gnu::noinline, gnu::cold]] void decode_group_by_shifts(const std::uint32_t* codes, std::uint32_t shared, float* to) {
    for (std::int64_t i = 0; i < group_size; ++i) {
        const std::uint32_t value = shifted_value<Bits>(codes[i] & ((1U << Bits) - 1), shared);
        to[i] = float_of(with_sign(value, codes[i] >> Bits << 31));
    }
}

template <int Bits>
void decode_blocks(TileDim dim, std::uint32_t exponent_offset, const std::uint8_t* exponents,
                   const std::uint8_t* elements, const MatrixView& tile) {
    std::array<std::uint8_t, max_elements> unfolded;
    const std::uint8_t* all_codes = Bits == 7 ? elements : unfolded.data();
    if (Bits != 7)
        for (std::int64_t at = 0; at < dim.elements(); at += group_size)
            get_codes<Bits>(elements + at * (Bits + 1) / 8, unfolded.data() + at);
    std::array<std::uint32_t, max_elements> wide;
    for (std::int64_t i = 0; i < dim.elements(); ++i) wide[static_cast<std::size_t>(i)] = all_codes[i];
    for_each_run(dim, true, [&](std::int32_t r, std::int32_t c, std::int64_t index) {
        const std::uint32_t code = exponents[index / group_size];
        const std::uint32_t shared = exponent_offset != 0 ? (code & 31U) + exponent_offset : code;
        const std::uint32_t* codes = wide.data() + index;
        float* out = tile.row(r) + c;
        if (!scales_as_float(shared)) [[unlikely]]
            return decode_group_by_shifts<Bits>(codes, shared, out);
        const float scale = value_scale<Bits>(shared);
        for (std::int64_t i = 0; i < group_size; ++i) {
            const std::uint32_t value = scaled_value(codes[i] & ((1U << Bits) - 1), scale);
            out[i] = float_of(with_sign(value, codes[i] >> Bits << 31));
        }
    });
}

/// Float32 exponent of exponent byte 0.
std::uint32_t exponent_offset(DataFormat format) {
    return info(format).family == FormatFamily::A ? Fp16::lowest_exponent : 0;
}

std::int64_t exponent_section(DataFormat format, TileDim dim) {
    return tile_body_bytes(format, dim) - std::int64_t{dim.elements()} * info(format).element_bits / 8;
}

void encode_body(DataFormat format, TileDim dim, const ConstMatrixView& tile, std::uint8_t* body) {
    std::uint8_t* const elements = body + exponent_section(format, dim);
    if (is_block_float(format)) std::fill(body, elements, std::uint8_t{0});
    const std::uint32_t offset = exponent_offset(format);
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
            return encode_elements<std::uint32_t, bits_of>(dim, tile, body);
        case DataFormat::RawUInt32:
            return encode_elements<std::uint32_t, bits_of, false>(dim, tile, body);
        case DataFormat::Float16:
            return encode_elements<std::uint16_t, Fp16::encode>(dim, tile, body);
        case DataFormat::Float16_b:
            return encode_elements<std::uint16_t, encode_float16_b>(dim, tile, body);
        case DataFormat::RawUInt16:
            return encode_elements<std::uint16_t, bits_of, false>(dim, tile, body);
        case DataFormat::Lf8:
            return encode_elements<std::uint8_t, Fp8E5::encode>(dim, tile, body);
        case DataFormat::Fp8_e4m3:
            return encode_elements<std::uint8_t, Fp8E4::encode>(dim, tile, body);
        case DataFormat::RawUInt8:
            return encode_elements<std::uint8_t, bits_of, false>(dim, tile, body);
        case DataFormat::Int8:
            return encode_elements<std::uint8_t, encode_integer<7, true>>(dim, tile, body);
        case DataFormat::UInt8:
            return encode_elements<std::uint8_t, encode_integer<8, false>>(dim, tile, body);
        case DataFormat::UInt16:
            return encode_elements<std::uint16_t, encode_integer<16, false>>(dim, tile, body);
        case DataFormat::Int32:
            return encode_elements<std::uint32_t, encode_integer<31, true>>(dim, tile, body);
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
            return encode_blocks<7>(dim, offset, tile, body, elements);
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
            return encode_blocks<3>(dim, offset, tile, body, elements);
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
            return encode_blocks<1>(dim, offset, tile, body, elements);
        case DataFormat::Invalid:
            return;
    }
}

void decode_body(DataFormat format, TileDim dim, const std::uint8_t* body, const MatrixView& tile) {
    const std::uint8_t* const elements = body + exponent_section(format, dim);
    const std::uint32_t offset = exponent_offset(format);
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
            return decode_elements<std::uint32_t, float_of>(dim, body, tile);
        case DataFormat::RawUInt32:
            return decode_elements<std::uint32_t, float_of, false>(dim, body, tile);
        case DataFormat::Float16:
            return decode_elements<std::uint16_t, Fp16::decode>(dim, body, tile);
        case DataFormat::Float16_b:
            return decode_elements<std::uint16_t, decode_float16_b>(dim, body, tile);
        case DataFormat::RawUInt16:
            return decode_elements<std::uint16_t, float_of, false>(dim, body, tile);
        case DataFormat::Lf8:
            return decode_elements<std::uint8_t, Fp8E5::decode>(dim, body, tile);
        case DataFormat::Fp8_e4m3:
            return decode_elements<std::uint8_t, Fp8E4::decode>(dim, body, tile);
        case DataFormat::RawUInt8:
            return decode_elements<std::uint8_t, float_of, false>(dim, body, tile);
        case DataFormat::Int8:
            return decode_elements<std::uint8_t, decode_integer<7, true>>(dim, body, tile);
        case DataFormat::UInt8:
            return decode_elements<std::uint8_t, decode_integer<8, false>>(dim, body, tile);
        case DataFormat::UInt16:
            return decode_elements<std::uint16_t, decode_integer<16, false>>(dim, body, tile);
        case DataFormat::Int32:
            return decode_elements<std::uint32_t, decode_integer<31, true>>(dim, body, tile);
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
            return decode_blocks<7>(dim, offset, body, elements, tile);
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
            return decode_blocks<3>(dim, offset, body, elements, tile);
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
            return decode_blocks<1>(dim, offset, body, elements, tile);
        case DataFormat::Invalid:
            return;
    }
}

void check_tile(TileDim dim, std::int64_t rows, std::int64_t cols) {
    TT_CHECK(is_legal(dim) && rows == dim.h && cols == dim.w, "{}x{} elements as a tile of {}x{}", rows, cols, dim.h,
             dim.w);
}

}  // namespace

void encode_tile(DataFormat format, TileDim dim, const ConstMatrixView& tile, std::uint8_t* body) {
    check_tile(dim, tile.rows, tile.cols);
    with_vector_instructions([&] { encode_body(format, dim, tile, body); });
}

void decode_tile(DataFormat format, TileDim dim, const std::uint8_t* body, const MatrixView& tile) {
    check_tile(dim, tile.rows, tile.cols);
    with_vector_instructions([&] { decode_body(format, dim, body, tile); });
}

static std::uint32_t sign_and_magnitude(float element) {
    const std::uint32_t bits = bits_of(element), sign = bits & sign_bit;
    return sign == 0 ? bits : std::min(0U - bits, sign_bit - 1) | sign;
}
static float as_integer(std::uint32_t code) {
    const std::uint32_t magnitude = code & ~sign_bit;
    return float_of((code & sign_bit) != 0 ? 0U - magnitude : magnitude);
}

void encode_integers(TileDim dim, const ConstMatrixView& tile, std::uint8_t* body) {
    check_tile(dim, tile.rows, tile.cols);
    encode_elements<std::uint32_t, sign_and_magnitude>(dim, tile, body);
}

void decode_integers(TileDim dim, const std::uint8_t* body, const MatrixView& tile) {
    check_tile(dim, tile.rows, tile.cols);
    decode_elements<std::uint32_t, as_integer>(dim, body, tile);
}

void write_tile_header(DataFormat format, TileDim dim, std::uint32_t tile_id, std::uint8_t* header) {
    constexpr unsigned uncompressed = 0x10;
    const auto units = static_cast<std::uint64_t>(tile_bytes(format, dim) / 16);
    const std::uint32_t id = (tile_id << 1) & 0xFFFFU;  // 15 bits above a zero bit
    const unsigned word = (static_cast<unsigned>(info(format).code) & 0xFU) | uncompressed;
    std::fill_n(header, tile_header_bytes, std::uint8_t{0});
    header[0] = static_cast<std::uint8_t>(units & 0xFF);
    header[1] = static_cast<std::uint8_t>(units >> 8);
    header[2] = static_cast<std::uint8_t>(id & 0xFF);
    header[3] = static_cast<std::uint8_t>(id >> 8);
    header[6] = static_cast<std::uint8_t>(word);
}

void encode_tiles(DataFormat format, TileDim dim, ConstMatrixView matrix, std::uint8_t* bytes) {
    const std::int64_t size = tile_body_bytes(format, dim);
    for (std::int64_t r = 0; r < matrix.rows; r += dim.h)
        for (std::int64_t c = 0; c < matrix.cols; c += dim.w, bytes += size)
            encode_tile(format, dim, matrix.sub(r, c, dim.h, dim.w), bytes);
}

void decode_tiles(DataFormat format, TileDim dim, const std::uint8_t* bytes, MatrixView matrix) {
    const std::int64_t size = tile_body_bytes(format, dim);
    for (std::int64_t r = 0; r < matrix.rows; r += dim.h)
        for (std::int64_t c = 0; c < matrix.cols; c += dim.w, bytes += size)
            decode_tile(format, dim, bytes, matrix.sub(r, c, dim.h, dim.w));
}

}  // namespace ttsim::impl
