// The bit-true unpacker, packer and vector unit: single rules by hand, and the fast packer against the exact one.
#include <catch2/catch.hpp>
#include <random>

#include "kernels/exact/block.hpp"
#include "kernels/exact/pack.hpp"
#include "kernels/exact/sfpu.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/tile_codec.hpp"
#include "kernels/formats/unpack.hpp"

using namespace ttsim::impl;
using exact::PackConfig;
using exact::PackSource;

TEST_CASE("block-float elements unpack with their leading zeros taken from the exponent, modulo 256") {
    const auto unpack = [](DataFormat f, std::uint32_t e, std::uint32_t d) {
        return exact::unpack_block_element(f, e, d);
    };
    CHECK(unpack(DataFormat::Bfp8_b, 127, 0x40) == 0x3F800000U);
    CHECK(unpack(DataFormat::Bfp8_b, 127, 0xC1) == 0xBF820000U);
    CHECK(unpack(DataFormat::Bfp8_b, 127, 0x01) == bits_of(0x1p-6F));
    CHECK(unpack(DataFormat::Bfp8_b, 3, 0x01) == 253U << 23);
    CHECK(unpack(DataFormat::Bfp8_b, 127, 0x80) == 0xFF800000U);
    CHECK(unpack(DataFormat::Bfp8_b, 127, 0x00) == 0);
    CHECK(unpack(DataFormat::Bfp4_b, 127, 0x6) == bits_of(1.5F));
    CHECK(unpack(DataFormat::Bfp2_b, 130, 0x3) == bits_of(-8.0F));
    CHECK(unpack(DataFormat::Bfp8, 15, 0x60) == (15U << 23 | 0x400000U));
}

TEST_CASE("a value of a tiny block float gets the register that its bytes would") {
    for (std::uint32_t exponent = 1; exponent < 12; ++exponent)
        for (std::uint32_t code = 1; code < 128; ++code) {
            std::vector<std::uint8_t> body(1088);
            body[0] = static_cast<std::uint8_t>(exponent);
            body[64] = static_cast<std::uint8_t>(code);
            std::vector<float> tile(1024);
            const MatrixView view{tile.data(), 32, 32, 32};
            decode_tile(DataFormat::Bfp8_b, {}, body.data(), view);
            unpack_to_src(DataFormat::Bfp8_b, DataFormat::Float16_b, view);
            const std::uint32_t want = exact::unpack_block_element(DataFormat::Bfp8_b, exponent, code);
            INFO("exponent " << exponent << ", code " << code);
            CHECK(bits_of(tile[0]) == ((want & infinity_bits) == 0 ? 0 : want));
        }
}

TEST_CASE("floats unpack by cutting, FP16 saturates") {
    const auto unpack = [](DataFormat from, DataFormat to, std::uint32_t d) {
        return exact::unpack_element(from, to, false, d);
    };
    CHECK(unpack(DataFormat::Float32, DataFormat::Tf32, 0x3F801FFFU) == 0x3F800000U);
    CHECK(unpack(DataFormat::Float32, DataFormat::Float16_b, 0x807FFFFFU) == 0x80000000U);
    CHECK(unpack(DataFormat::Float32, DataFormat::Float16, bits_of(-1.5F)) == (0x80000000U | 15U << 23 | 0x400000U));
    CHECK(unpack(DataFormat::Float32, DataFormat::Float16, bits_of(1e9F)) == 0x0FFFE000U);
    CHECK(unpack(DataFormat::Lf8, DataFormat::Lf8, 0xBD) == (0x80000000U | 15U << 23 | 0x200000U));
    CHECK(unpack(DataFormat::Int8, DataFormat::Int8, 0x85) == (0x80000000U | 16U << 23 | 5U << 13));
    CHECK(unpack(DataFormat::Int8, DataFormat::Int8, 0x80) == 0x80000000U);
    for (std::uint32_t raw : {0x1234U, 0x8001U, 0xFFFFU})
        CHECK(exact::stored_bf16(
                  static_cast<std::uint16_t>(unpack(DataFormat::UInt16, DataFormat::UInt16, raw) >> 16)) == raw);
    CHECK(exact::adjusted_row(9) == 17);
}

TEST_CASE("the packer rounds twice on the way to a block float") {
    PackConfig config{.source = PackSource::Bits32, .intermediate = DataFormat::Bfp8_b, .out = DataFormat::Bfp8_b};
    std::uint32_t values[16] = {};
    values[0] = exact::pack_early(config, bits_of(1.0F));
    values[1] = exact::pack_early(config, bits_of(-0.0078F));  // 2^-7 less a little: 6 bits round it up to 2^-7
    const exact::PackedBlock block = exact::pack_block(config, values);
    CHECK(block.exponent == 127);
    CHECK(block.codes[0] == 0x40);
    CHECK(block.codes[1] == 0x81);  // and the shared exponent rounds the half up
    CHECK(block.codes[2] == 0);
    config.intermediate = DataFormat::Float32;
    values[1] = exact::pack_early(config, bits_of(-0.0078F));
    CHECK(exact::pack_block(config, values).codes[1] == 0);  // cut instead: below a half, and a zero has no sign
}

TEST_CASE("packing turns NaN into infinity on rounding paths only") {
    PackConfig config{
        .source = PackSource::Bits32, .intermediate = DataFormat::Float16_b, .out = DataFormat::Float16_b};
    CHECK(exact::pack_late(config, exact::pack_early(config, 0xFFC00001U)) == 0xFF80U);
    CHECK(exact::pack_late(config, exact::pack_early(config, 0x3F808000U)) == 0x3F81U);
    config.intermediate = config.out = DataFormat::Float32;
    CHECK(exact::pack_late(config, exact::pack_early(config, 0xFFC00001U)) == 0xFFC00001U);
    config.out = DataFormat::Float16;
    CHECK(exact::pack_late(config, bits_of(1.0F)) == 0x3C00U);
    CHECK(exact::pack_late(config, bits_of(1e9F)) == 0x7FFFU);
    CHECK(exact::pack_late(config, 112U << 23 | 0x600000U) == 0x0300U);  // exponent 0 keeps its mantissa
}

TEST_CASE("ReLU compares bit patterns after the early step") {
    PackConfig config{.source = PackSource::Bits32, .intermediate = DataFormat::Float32, .out = DataFormat::Float32};
    config.relu_mode = 1;
    CHECK(exact::pack_early(config, bits_of(-0.0F)) == 0);
    config.relu_mode = 2;
    config.relu_threshold = 0x3F80;
    CHECK(exact::pack_early(config, bits_of(1.0F)) == 0);
    CHECK(exact::pack_early(config, bits_of(1.0F) + 1) == bits_of(1.0F) + 1);
    config.relu_mode = 3;
    CHECK(exact::pack_early(config, bits_of(1.0F) + 0x1FFF) == bits_of(1.0F) + 0x1FFF);  // only bits 31:13 are compared
    CHECK(exact::pack_early(config, bits_of(1.0F) + 0x2000) == bits_of(1.0F));
}

TEST_CASE("sums in L1 follow the rules of each format") {
    const auto sum = [](DataFormat f, std::uint32_t a, std::uint32_t b) { return exact::accumulate_in_l1(f, a, b); };
    CHECK(sum(DataFormat::Float32, bits_of(1.0F), bits_of(2.0F)) == bits_of(3.0F));
    CHECK(sum(DataFormat::Float32, infinity_bits, sign_bit | infinity_bits) == 0x7FC00000U);
    CHECK(sum(DataFormat::Float32, 0x80000001U, 0x80000001U) == 0x80000000U);
    CHECK(sum(DataFormat::Float16_b, 0x3F80, 0x3B80) == 0x3F80U);  // a tie goes to even
    CHECK(sum(DataFormat::Float16_b, 0x3F81, 0x3B80) == 0x3F82U);
    CHECK(sum(DataFormat::Float16_b, 0x7F80, 0xFF80) == 0x7FC0U);
    CHECK(sum(DataFormat::Float16, 0x3C00, 0x3C00) == 0x4000U);
    CHECK(sum(DataFormat::Float16, 0x7FFF, 0x7FFF) == 0x7FFFU);
    CHECK(sum(DataFormat::Float16, 0x7800, 0xF800) == 0x7FFFU);
}

namespace {

std::vector<float> dest_values(DataFormat acc) {
    std::mt19937 random(11);
    std::vector<float> out(4096);
    for (std::size_t i = 0; i < out.size(); ++i) {
        auto bits = static_cast<std::uint32_t>(random());
        if (i % 3 != 0) bits = (bits & 0x807FFFFFU) | (115 + bits % 25) << 23;
        if (i % 64 < 16) bits = (bits & 0x807FFFFFU) | (bits % 4) << 23;
        // Groups of similar magnitudes, from the smallest to the largest exponents.
        if (i % 64 >= 48)
            bits = (bits & 0x807FFFFFU) | (static_cast<std::uint32_t>(i / 64 * 4) % 246 + bits % 10) << 23;
        out[i] = acc == DataFormat::Float16     ? Fp16::decode(bits & 0xFFFFU)
                 : acc == DataFormat::Float16_b ? float_of(bits & ~0xFFFFU)
                                                : float_of(bits);
    }
    return out;
}

PackConfig usual_packer(DataFormat acc, DataFormat out) {
    const bool fp16 = acc == DataFormat::Float16;
    PackConfig config;
    config.source = fp16 ? PackSource::Fp16 : acc == DataFormat::Float16_b ? PackSource::Bf16 : PackSource::Bits32;
    config.out = out;
    config.intermediate = is_block_float(out) ? (fp16 ? DataFormat::Bfp8 : DataFormat::Bfp8_b)
                          : fp16              ? DataFormat::Float16
                          : acc == DataFormat::Float16_b || out == DataFormat::Float16_b ? DataFormat::Float16_b
                                                                                         : DataFormat::Float32;
    return config;
}

}  // namespace

TEST_CASE("the fast packer gives the bytes of the exact one") {
    for (const DataFormat acc : {DataFormat::Float32, DataFormat::Float16_b, DataFormat::Float16})
        for (const DataFormat out : {DataFormat::Float32, DataFormat::Float16_b, DataFormat::Float16,
                                     DataFormat::Bfp8_b, DataFormat::Bfp4_b, DataFormat::Bfp2_b}) {
            const PackConfig config = usual_packer(acc, out);
            REQUIRE(exact::can_pack(config));
            const auto start = dest_values(acc);
            for (std::size_t tile = 0; tile < 4; ++tile) {
                std::vector<float> values(start.begin() + static_cast<std::ptrdiff_t>(tile * 1024),
                                          start.begin() + static_cast<std::ptrdiff_t>((tile + 1) * 1024));
                // Rows of 16 in Dst order: a tile of one face column.
                std::vector<std::uint32_t> dest;
                for (const float x : values)
                    dest.push_back(acc == DataFormat::Float16_b ? bits_of(x) >> 16
                                   : acc == DataFormat::Float16 ? Fp16::encode(x)
                                                                : bits_of(x));
                std::vector<std::uint8_t> want(static_cast<std::size_t>(tile_body_bytes(out, {}))), got(want.size());
                exact::pack_tile(config, dest, want);
                const MatrixView rows{values.data(), 64, 16, 16};
                pack_from_dest(acc, out, rows);
                // Faces 0 to 3 lie one after the other: a tile of 64 rows would, in four tiles of 16x16.
                std::vector<float> arranged(1024);
                for (std::size_t i = 0; i < 1024; ++i)
                    arranged[(i / 512 * 16 + i / 16 % 16) * 32 + i / 256 % 2 * 16 + i % 16] = values[i];
                encode_tile(out, {}, {arranged.data(), 32, 32, 32}, got.data());
                INFO(to_string(acc) << " to " << to_string(out) << ", tile " << tile);
                int different = 0;
                for (std::size_t i = 0; i < got.size(); ++i)
                    if (got[i] != want[i] && different++ < 3)
                        UNSCOPED_INFO("byte " << i << ": fast " << int{got[i]} << ", exact " << int{want[i]});
                CHECK(different == 0);
            }
        }
}

TEST_CASE("the vector unit's multiply-add rounds once to nearest even and flushes denormals") {
    const auto mad = [](float a, float b, float c) {
        return float_of(exact::sfpu::mad(bits_of(a), bits_of(b), bits_of(c)));
    };
    CHECK(mad(1.5F, 2.0F, 0.25F) == 3.25F);
    CHECK(mad(1.0F + 0x1p-23F, 1.0F + 0x1p-23F, 0.0F) == 1.0F + 0x1p-22F);
    CHECK(mad(0x1p-100F, 0x1p-100F, 2.0F) == 2.0F);
    CHECK(bits_of(mad(-1.0F, 1.0F, 1.0F)) == 0);
    CHECK(bits_of(mad(float_of(infinity_bits), 0.5F, 1.0F)) == infinity_bits);
    CHECK(exact::sfpu::cast(0x80000000U) == 0x80000000U);
    CHECK(float_of(exact::sfpu::cast(0x80000007U)) == -7.0F);
    CHECK(exact::sfpu::round_to(exact::sfpu::Rounding::Int8, bits_of(-2.5F)) == (0x80000000U | 3U));
    CHECK(exact::sfpu::round_to(exact::sfpu::Rounding::UInt8, bits_of(300.0F)) == 255U);
    CHECK(exact::sfpu::swap(1, bits_of(2.0F), bits_of(-3.0F)).d == bits_of(-3.0F));
}
