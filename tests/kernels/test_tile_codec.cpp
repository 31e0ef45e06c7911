#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/tile_codec.hpp"

using namespace ttsim::impl;
using enum DataFormat;

namespace {

using Bytes8 = std::vector<std::uint8_t>;

Bytes8 encode(DataFormat format, TileDim dim, const Tensor& t) {
    const std::int64_t tiles = t.rows / dim.h * (t.cols / dim.w);
    Bytes8 bytes(static_cast<std::size_t>(tiles * tile_body_bytes(format, dim)), 0xEE);
    encode_tiles(format, dim, t.slice(0), bytes.data());
    return bytes;
}

/// A 32x32 tile of zeros but for the start of its first row.
Bytes8 encode_row(DataFormat format, const std::vector<float>& row) {
    Tensor t(1, 32, 32);
    std::copy(row.begin(), row.end(), t.data.begin());
    return encode(format, {}, t);
}

/// Element (r, c) is r * step + c.
Tensor counting_tile(TileDim dim, int step) {
    Tensor t(1, dim.h, dim.w);
    for (int r = 0; r < dim.h; ++r)
        for (int c = 0; c < dim.w; ++c) t.slice(0).at(r, c) = static_cast<float>(r * step + c);
    return t;
}

constexpr TileDim legal_dims[] = {{32, 32}, {16, 32}, {32, 16}, {8, 32}, {4, 32}, {2, 32}, {1, 32}};

}  // namespace

TEST_CASE("elements lie face by face") {
    const Bytes8 bytes = encode(UInt16, {}, counting_tile({}, 100));
    const auto at = [&](std::size_t i) { return bytes[2 * i] + 256 * bytes[2 * i + 1]; };
    CHECK(at(0) == 0);
    CHECK(at(15) == 15);
    CHECK(at(16) == 100);         // next row of the top-left face
    CHECK(at(256) == 16);         // top-right face
    CHECK(at(512) == 1600);       // bottom-left
    CHECK(at(768 + 17) == 1717);  // bottom-right, row 1, column 1
}

TEST_CASE("a tile of 8 rows has two short faces") {
    const Bytes8 bytes = encode(UInt8, {8, 32}, counting_tile({8, 32}, 10));
    CHECK(bytes[16] == 10);
    CHECK(bytes[112] == 70);  // row 7
    CHECK(bytes[128] == 16);  // the other face
}

TEST_CASE("block floats have exponents first and small elements from the low bits") {
    const Bytes8 b8 = encode_row(Bfp8_b, {1.0F, -0.5F, 0.0F, -0.0F});
    CHECK(b8.size() == 1088);
    CHECK(b8[0] == 127);
    CHECK(b8[1] == 0);
    CHECK(Bytes8(b8.begin() + 64, b8.begin() + 68) == Bytes8{64, 0x80 | 32, 0, 0});
    const Bytes8 b4 = encode_row(Bfp4_b, {1.0F, -0.5F});
    CHECK(b4[64] == 0xA4);
    const Bytes8 b2 = encode_row(Bfp2_b, {1.0F, -1.0F, 0.0F, 1.0F});
    CHECK(b2[64] == 0x4D);
    const Bytes8 a8 = encode_row(Bfp8, {65536.0F, -32768.0F});
    CHECK(a8[0] == 31);
    CHECK(a8[65] == (0x80 | 32));
}

TEST_CASE("integers are stored as sign and magnitude") {
    CHECK(encode_row(Int8, {-5.0F, 127.0F})[0] == 0x85);
    CHECK(encode_row(UInt8, {255.0F})[0] == 255);
    const Bytes8 b = encode_row(Int32, {-5.0F, 2147483648.0F});
    CHECK(Bytes8(b.begin(), b.begin() + 8) == Bytes8{5, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0x7F});
}

TEST_CASE("raw formats are row-major bit patterns") {
    Tensor t(1, 32, 32);
    for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = float_of(static_cast<std::uint32_t>(i * 0x01010101U));
    CHECK(encode(RawUInt8, {}, t)[16] == 16);
    CHECK(encode(RawUInt8, {}, t)[33] == 33);
    CHECK(encode(RawUInt16, {}, t)[66] == 33);
    CHECK(encode(RawUInt32, {}, t)[135] == 33);
}

TEST_CASE("every code of the small floats survives") {
    for (std::uint32_t code = 0; code < 0x10000; ++code) REQUIRE(Fp16::encode(Fp16::decode(code)) == code);
    for (std::uint32_t code = 0; code < 0x100; ++code) {
        REQUIRE(Fp8E5::encode(Fp8E5::decode(code)) == code);
        REQUIRE(Fp8E4::encode(Fp8E4::decode(code)) == code);
    }
    CHECK(Fp16::decode(0x7FFF) == 131008.0F);
    CHECK(Fp16::decode(0x3C00) == 1.0F);
    CHECK(Fp16::decode(0x0001) == 0x1p-24F);
    CHECK(Fp8E5::decode(0xFF) == -114688.0F);
    CHECK(Fp8E4::decode(0x7F) == 480.0F);
}

TEST_CASE("all tile shapes and formats come back as they went in") {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0.0F, 40.0F);
    for (const TileDim dim : legal_dims)
        for (const FormatInfo& f : all_formats()) {
            if (f.format == Invalid) continue;
            Tensor t(1, std::int64_t{3} * dim.h, std::int64_t{2} * dim.w);
            for (float& x : t.data) x = is_raw(f.format) ? float_of(random() & 0xFFU) : normal(random);
            host_convert(f.format, t.slice(0));
            const Bytes8 bytes = encode(f.format, dim, t);
            Tensor back(1, t.rows, t.cols, -1.0F);
            decode_tiles(f.format, dim, bytes.data(), back.slice(0));
            INFO(f.name << " " << dim.h << "x" << dim.w);
            CHECK(back.data == t.data);
            CHECK(encode(f.format, dim, back) == bytes);
        }
}

TEST_CASE("any bytes decode and encode without harm") {
    std::mt19937 random(6);
    for (const FormatInfo& f : all_formats()) {
        if (f.format == Invalid) continue;
        Bytes8 bytes(static_cast<std::size_t>(tile_body_bytes(f.format, {})));
        for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
        Tensor t(1, 32, 32), again(1, 32, 32);
        decode_tiles(f.format, {}, bytes.data(), t.slice(0));
        const Bytes8 normal = encode(f.format, {}, t);
        decode_tiles(f.format, {}, normal.data(), again.slice(0));
        INFO(f.name);
        CHECK(std::memcmp(t.data.data(), again.data.data(), t.data.size() * sizeof(float)) == 0);
        if (!f.block_float && f.format != Int32) CHECK(normal == bytes);
    }
}

TEST_CASE("a tile header has size, id and format") {
    std::uint8_t h[16];
    write_tile_header(Bfp8_b, {}, 3, h);
    CHECK(Bytes8(h, h + 16) == Bytes8{70, 0, 6, 0, 0, 0, 0x16, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    write_tile_header(Float32, {}, 0x7FFF, h);
    CHECK(Bytes8(h, h + 8) == Bytes8{2, 1, 0xFE, 0xFF, 0, 0, 0x10, 0});
}

TEST_CASE("a view of another shape than the tile is refused") {
    Tensor t(1, 32, 16);
    Bytes8 bytes(4096);
    CHECK_THROWS_AS(encode_tile(Float32, {}, t.slice(0), bytes.data()), Error);
    CHECK_THROWS_AS(decode_tile(Float32, {}, bytes.data(), t.slice(0)), Error);
}
