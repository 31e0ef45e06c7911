// The vector unit's multiply-add and the look-up tables that go through it, around every place where they round.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "kernels/exact/sfpu.hpp"
#include "kernels/formats/float_bits.hpp"

using namespace ttsim::impl;
namespace sfpu = ttsim::impl::exact::sfpu;

namespace {

float next_below(float x) { return float_of(bits_of(x) - 1); }
float next_above(float x) { return float_of(bits_of(x) + 1); }

/// An entry of the 8-bit table: 1.m * 2^-e.
constexpr std::uint32_t code8(std::uint32_t e, std::uint32_t m) { return e << 4 | m; }
std::uint32_t value8(std::uint32_t code) {
    return (code >> 7) << 31 | (127 - ((code >> 4) & 7)) << 23 | (code & 15) << 19;
}

/// Both signs: the table takes the size of x and gives the result its sign.
std::array<std::uint32_t, 2> both_signs(std::uint32_t x, std::uint32_t pair) {
    const std::array<std::uint32_t, 3> table{pair, pair, pair};
    return {sfpu::lut8(x, table), sfpu::lut8(x | sign_bit, table)};
}

/// Six equal pieces of slope * |x| + offset, of FP16 codes.
std::uint32_t lut16(std::uint32_t x, std::uint32_t slope, std::uint32_t offset) {
    const std::uint32_t s = slope << 16 | slope, o = offset << 16 | offset;
    return sfpu::lut16(x, std::array<std::uint32_t, 6>{s, s, s, o, o, o});
}

}  // namespace

// A product above 2 and an addend of its exponent make two bits more than the 27 that are rounded. Of those two only
// the lower one, where the sticky bits of the product are, decides a tie.
TEST_CASE("a sum that is shortened by two bits at once forgets the upper of them") {
    struct Case {
        std::uint32_t x, pair, want;
    };
    // The two bits and what is kept: 00 even, 01 even, 10 even, 11 even, 00 odd, 01 odd, 10 odd, 11 odd.
    constexpr std::array cases{Case{0x407A5C18, 0xC05, 0x4102884A}, Case{0x407B521B, 0x90E, 0x41002C13},
                               Case{0x4079018E, 0xE1A, 0x4101B8BA}, Case{0x40757EF9, 0xF1F, 0x41066981},
                               Case{0x40736A90, 0xE1C, 0x410019F4}, Case{0x40634F4A, 0xD0D, 0x4103FFEE},
                               Case{0x407F4C1C, 0xF02, 0x410DA8DE}, Case{0x407C9053, 0xD0A, 0x410C7166}};
    for (const Case& c : cases) {
        INFO(std::hex << c.x << " " << c.pair);
        CHECK(both_signs(c.x, c.pair) == std::array{c.want, c.want | sign_bit});
        const std::uint32_t slope = value8(c.pair >> 8), offset = value8(c.pair & 0xFF);
        CHECK(sfpu::mad(slope, c.x, offset) == c.want);
        CHECK(sfpu::mad(c.x, slope, offset) == c.want);
        CHECK(sfpu::mad(slope | sign_bit, c.x, offset | sign_bit) == (c.want | sign_bit));
        // The same coefficients as FP16 go through the same sum.
        const auto fp16 = [](std::uint32_t bits) { return ((bits >> 13) - (112U << 10)) & 0x7FFFU; };
        CHECK(lut16(c.x, fp16(slope), fp16(offset)) == c.want);
        CHECK(lut16(c.x | sign_bit, fp16(slope), fp16(offset)) == c.want);
    }
}

TEST_CASE("sums shortened by at most one bit round to nearest even with every lost bit") {
    // 1.x * 1 + c is exact in double; float addition rounds it to nearest even.
    for (const std::uint32_t low : {0U, 1U, 2U, 3U, 0x7FFFFFU, 0x7FFFFEU, 0x400001U})
        for (const float scale : {1.0F, 0x1p-1F, 0x1p-2F, 0x1p-3F, 0x1p-20F, 0x1p-24F}) {
            const float a = float_of(bits_of(1.0F) | low);
            for (const float b : {1.0F, 1.5F, next_below(2.0F)})
                for (const float sign : {1.0F, -1.0F}) {
                    const float c = sign * b * scale;
                    INFO(a << " " << c);
                    CHECK(sfpu::mad(bits_of(1.0F), bits_of(a), bits_of(c)) == bits_of(a + c));
                }
        }
}

TEST_CASE("a product alone rounds to nearest even, without denormals") {
    for (const float a : {1.0F, 1.5F, next_above(1.0F), next_below(2.0F), 1.25F})
        for (const float b : {1.0F, 3.0F, next_above(1.0F), next_below(2.0F), next_above(1.5F)})
            for (const float scale : {1.0F, 0x1p60F, 0x1p-60F}) {
                const float want = a * (b * scale);
                CHECK(sfpu::mad(bits_of(a), bits_of(b * scale), 0) == bits_of(want));
                CHECK(sfpu::mad(bits_of(-a), bits_of(b * scale), 0) == bits_of(-want));
            }
    CHECK(sfpu::mad(bits_of(0x1p-126F), bits_of(0.5F), 0) == 0);
    CHECK(sfpu::mad(bits_of(0x1p-127F), bits_of(2.0F), 0) == 0);  // a denormal operand is nothing
    CHECK(sfpu::mad(bits_of(0x1p100F), bits_of(0x1p100F), 0) == infinity_bits);
}

TEST_CASE("the tables change their piece exactly at its border") {
    // Every entry is an offset of its own, slopes are zero: the result names the piece.
    const std::array<std::uint32_t, 3> three{0xFF00 | code8(0, 0), 0xFF00 | code8(1, 0), 0xFF00 | code8(2, 0)};
    const auto piece8 = [&](float x) { return float_of(sfpu::lut8(bits_of(x), three)); };
    CHECK(piece8(0.0F) == 1.0F);
    CHECK(piece8(next_below(1.0F)) == 1.0F);
    CHECK(piece8(1.0F) == 0.5F);
    CHECK(piece8(next_below(2.0F)) == 0.5F);
    CHECK(piece8(2.0F) == 0.25F);
    CHECK(piece8(3e38F) == 0.25F);
    CHECK(piece8(-1.0F) == -0.5F);

    // FP16 codes of 1 to 6; slopes of exponent 31 are zero.
    const std::array<std::uint32_t, 6> six{0x7C007C00, 0x7C007C00, 0x7C007C00, 0x40003C00, 0x44004200, 0x46004500};
    const auto piece16 = [&](float x) { return float_of(sfpu::lut16(bits_of(x), six)); };
    const std::array borders{0.5F, 1.0F, 1.5F, 2.0F, 3.0F};
    for (std::size_t i = 0; i < borders.size(); ++i)
        for (const float sign : {1.0F, -1.0F}) {
            CHECK(piece16(sign * next_below(borders[i])) == static_cast<float>(i + 1));
            CHECK(piece16(sign * borders[i]) == static_cast<float>(i + 2));
            CHECK(piece16(sign * next_above(borders[i])) == static_cast<float>(i + 2));
        }
}

TEST_CASE("the ends of the coefficients' range") {
    const std::uint32_t x = bits_of(1.25F);
    CHECK(lut16(x, 0x0000, 0x7C00) == bits_of(1.25F * 0x1p-15F));              // exponent 0 has a hidden one
    CHECK(lut16(x, 0x03FF, 0x7C00) == bits_of(1.25F * 0x1.FFCp-15F));          // and a mantissa
    CHECK(lut16(x, 0x7BFF, 0x7C00) == bits_of(1.25F * 0x1.FFCp15F));           // exponent 30
    CHECK(lut16(x, 0x7FFF, 0xBC00) == bits_of(-1.0F));                         // exponent 31 is zero
    CHECK(lut16(x, 0x7C00, 0xFC00) == 0);                                      // and so is the sum of two
    CHECK(both_signs(x, 0xFF00 | code8(7, 15))[0] == bits_of(1.9375F / 128));  // 0xFF is zero
    CHECK(both_signs(x, 0x0FFF)[1] == bits_of(-1.25F * 1.9375F));
    // A negative sum: the 8-bit table overrides its sign, the FP16 table keeps it.
    CHECK(both_signs(x, 0x80FF) == std::array{bits_of(1.25F), bits_of(-1.25F)});
    CHECK(lut16(x | sign_bit, 0xBC00, 0x7C00) == bits_of(-1.25F));
}
