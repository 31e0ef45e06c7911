#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/tile_codec.hpp"

using namespace ttsim::impl;
using enum DataFormat;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// One row of 16 that starts with the given values; the rest is zero.
template <class F>
std::vector<float> row_after(std::vector<float> values, F f) {
    const std::size_t given = values.size();
    values.resize(16);
    f(MatrixView{values.data(), 1, 16, 16});
    values.resize(given);
    return values;
}

std::vector<float> host(DataFormat format, std::vector<float> values, BlockRounding rounding = BlockRounding::HalfUp) {
    return row_after(std::move(values), [=](MatrixView m) { host_convert(format, m, rounding); });
}
std::vector<float> rounded_to_dest(DataFormat acc, std::vector<float> values) {
    return row_after(std::move(values), [=](MatrixView m) { round_to_dest(acc, m); });
}
std::vector<float> pack(DataFormat acc, DataFormat out, std::vector<float> values) {
    return row_after(std::move(values), [=](MatrixView m) { pack_from_dest(acc, out, m); });
}
std::vector<float> unpack(DataFormat format, DataFormat acc, std::vector<float> values) {
    return row_after(std::move(values), [=](MatrixView m) { unpack_to_src(format, acc, m); });
}

using Floats = std::vector<float>;

/// Any bit pattern, so all exponents, denormals, infinities and NaN.
Tensor unbounded_tensor(std::uint32_t seed) {
    std::mt19937 random(seed);
    Tensor t(1, 32, 32);
    for (float& x : t.data) x = float_of(static_cast<std::uint32_t>(random()));
    for (std::size_t i = 0; i < t.data.size(); i += 7)
        t.data[i] = float_of(static_cast<std::uint32_t>(random()) % 3 << 31);
    return t;
}

/// Groups whose exponents lie close together, around a random one.
Tensor grouped_tensor(std::uint32_t seed, int low, int high) {
    std::mt19937 random(seed);
    Tensor t(1, 32, 32);
    for (std::size_t g = 0; g < t.data.size(); g += 16) {
        const int top = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
        for (std::size_t i = g; i < g + 16; ++i) {
            const auto mantissa = static_cast<float>(1.0 + static_cast<double>(random() % 8388608U) * 0x1p-23);
            t.data[i] = std::ldexp(random() % 2 != 0 ? mantissa : -mantissa, top - static_cast<int>(random() % 12));
        }
    }
    return t;
}

bool same_bits(const Tensor& a, const Tensor& b) {
    return std::equal(a.data.begin(), a.data.end(), b.data.begin(),
                      [](float x, float y) { return bits_of(x) == bits_of(y) || (x == 0.0F && y == 0.0F); });
}

Tensor through_bytes(DataFormat format, const Tensor& t) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(tile_body_bytes(format, {})));
    encode_tiles(format, {}, t.slice(0), bytes.data());
    Tensor out(1, 32, 32);
    decode_tiles(format, {}, bytes.data(), out.slice(0));
    return out;
}

}  // namespace

TEST_CASE("the host cuts floats to their mantissa and saturates at the range") {
    CHECK(host(Float16_b, {float_of(0x3F80FFFF), float_of(0xBF80FFFF)}) == Floats{1.0F, -1.0F});
    CHECK(host(Tf32, {float_of(0x3F803FFF)}) == Floats{float_of(0x3F802000)});
    CHECK(host(Float32, {0.1F}) == Floats{0.1F});
    CHECK(host(Float16, {1.0F + 0x1p-11F, 65536.0F, 131071.0F, 1e9F, -infinity, 0x1p-14F, 0x1.fp-15F}) ==
          Floats{1.0F, 65536.0F, 131008.0F, 131008.0F, -131008.0F, 0x1p-14F, 0.0F});
    CHECK(host(Float16, {not_a_number}) == Floats{131008.0F});
    CHECK(host(Lf8, {1.3F, -1e6F, 0x1p-15F}) == Floats{1.25F, -114688.0F, 0.0F});
    CHECK(host(Fp8_e4m3, {1.2F, 1000.0F, 0x1p-6F, 0x1.fp-7F}) == Floats{1.125F, 480.0F, 0x1p-6F, 0.0F});
}

TEST_CASE("integers round half away from zero and saturate") {
    CHECK(host(Int8, {2.5F, -2.5F, 0.49999997F, 300.0F, -300.0F, -0.3F}) == Floats{3, -3, 0, 127, -127, 0});
    CHECK_FALSE(std::signbit(host(Int8, {-0.3F})[0]));
    CHECK(host(UInt8, {254.5F, 256.0F, -1.0F, infinity}) == Floats{255, 255, 0, 255});
    CHECK(host(UInt16, {65534.4F, 70000.0F, -infinity, not_a_number}) == Floats{65534, 65535, 0, 65535});
    CHECK(host(Int32, {8388607.5F, 8388609.0F, -3e9F, 16777217.0F, 1234567936.0F}) ==
          Floats{8388608, 8388609, -2147483648.0F, 16777216, 1234567936});
}

TEST_CASE("block floats share the largest exponent of 16 elements") {
    // 1.0 makes the unit 2^-6, 2^-2 and 2^0.
    CHECK(host(Bfp8_b, {1.0F, 0x1p-7F, -0x1p-7F, 0x1.fffffep-8F, 1.9999999F}) ==
          Floats{1.0F, 0x1p-6F, -0x1p-6F, 0.0F, 127.0F / 64});
    CHECK(host(Bfp8_b, {1.0F, 0x1.fffffep-7F, -0x1p-7F}, BlockRounding::Truncate) == Floats{1.0F, 0.0F, 0.0F});
    CHECK(host(Bfp4_b, {1.0F, 0.125F, -0.3F, 1.9F}) == Floats{1.0F, 0.25F, -0.25F, 1.75F});
    CHECK(host(Bfp2_b, {1.0F, 0.5F, 0.49F, -1.9F}) == Floats{1.0F, 1.0F, 0.0F, -1.0F});
    CHECK_FALSE(std::signbit(host(Bfp8_b, {1.0F, -1e-9F})[1]));
    // The 5-bit exponent ends at 2^16; beyond, and below 2^-15, the host keeps the significand.
    CHECK(host(Bfp8, {1.5F * 65536, 65536.0F * 512}) == Floats{1.5F * 65536, 65536.0F});
    CHECK(host(Bfp8, {1.5e-10F}) == Floats{std::ldexp(82.0F, -21)});  // 1.5e-10 = 1.2885 * 2^-33
}

TEST_CASE("block float conversion equals exact arithmetic on every exponent") {
    const auto [low, high] = GENERATE(std::pair{-20, 20}, std::pair{-126, -100}, std::pair{100, 127});
    for (const auto& [format, bits] : {std::pair{Bfp8_b, 7}, std::pair{Bfp4_b, 3}, std::pair{Bfp2_b, 1}})
        for (const BlockRounding rounding : {BlockRounding::HalfUp, BlockRounding::Truncate})
            for (std::uint32_t seed = 0; seed < 20; ++seed) {
                const Tensor in = grouped_tensor(seed, low, high);
                Tensor want = in;
                for (std::size_t g = 0; g < in.data.size(); g += 16) {
                    int shared = -127;
                    for (std::size_t i = g; i < g + 16; ++i)
                        shared = std::max(shared, std::max(std::ilogb(in.data[i]), -126));
                    const double unit = std::ldexp(1.0, shared - (bits - 1));
                    for (std::size_t i = g; i < g + 16; ++i) {
                        const double steps = std::fabs(double{in.data[i]}) / unit;
                        const double whole = std::floor(steps + (rounding == BlockRounding::HalfUp ? 0.5 : 0.0));
                        want.data[i] = static_cast<float>(
                            std::copysign(std::min(whole, std::ldexp(1.0, bits) - 1) * unit, double{in.data[i]}));
                    }
                }
                Tensor got = in;
                host_convert(format, got.slice(0), rounding);
                INFO(to_string(format) << " seed " << seed);
                REQUIRE(same_bits(got, want));
            }
}

TEST_CASE("conversions yield values of the format whatever comes in") {
    for (std::uint32_t seed = 0; seed < 20; ++seed)
        for (const FormatInfo& out : all_formats()) {
            if (out.format == Invalid || is_raw(out.format)) continue;
            INFO(out.name << " seed " << seed);
            Tensor converted = unbounded_tensor(seed);
            host_convert(out.format, converted.slice(0));
            CHECK(same_bits(through_bytes(out.format, converted), converted));
            Tensor again = converted;
            host_convert(out.format, again.slice(0));
            CHECK(same_bits(again, converted));
            for (const DataFormat acc : {Float32, Float16, Float16_b, Int32, Bfp8, Bfp8_b}) {
                Tensor packed = unbounded_tensor(seed);
                round_to_dest(acc, packed.slice(0));
                pack_from_dest(acc, out.format, packed.slice(0));
                INFO("packed from " << to_string(acc));
                CHECK(same_bits(through_bytes(out.format, packed), packed));
            }
        }
}

TEST_CASE("raw formats and the invalid one pass unchanged") {
    const Tensor in = unbounded_tensor(1);
    for (const DataFormat f : {RawUInt8, RawUInt16, RawUInt32, Invalid}) {
        Tensor t = in;
        host_convert(f, t.slice(0));
        unpack_to_src(f, Float16_b, t.slice(0));
        round_to_dest(f, t.slice(0));
        pack_from_dest(Float32, f, t.slice(0));
        CHECK(std::memcmp(t.data.data(), in.data.data(), sizeof(float) * in.data.size()) == 0);
    }
}

TEST_CASE("unpacking Float32 follows the accumulator's format") {
    const float x = float_of(0x3F80FFFF);
    CHECK(unpack(Float32, Float32, {x}) == Floats{float_of(0x3F80E000)});
    CHECK(unpack(Float32, Float16_b, {x}) == Floats{1.0F});
    CHECK(unpack(Float32, Float16, {x, 1e6F, 1e-6F, -1e-6F}) == Floats{float_of(0x3F80E000), 131008.0F, 0.0F, 0.0F});
    CHECK(unpack(Float16_b, Float16_b, {1e-40F, 3.0F}) == Floats{0.0F, 3.0F});
    CHECK(unpack(Float16, Float16, {0x1p-15F, 0x1p-14F}) == Floats{0.0F, 0x1p-14F});
    CHECK(unpack(Int8, Int32, {-5.0F}) == Floats{-5.0F});
}

TEST_CASE("a fidelity shows each port its own bits") {
    const float all = float_of(0x3FFFFFFF);  // 1.111...
    const auto masked = [&](Fidelity f, SrcPort p) {
        return 2.0F - row_after({all}, [=](MatrixView m) { mask_operand(f, p, m); })[0];
    };
    CHECK(masked(Fidelity::LoFi, SrcPort::A) == 0x1p-4F);
    CHECK(masked(Fidelity::LoFi, SrcPort::B) == 0x1p-6F);
    CHECK(masked(Fidelity::HiFi2, SrcPort::A) == 0x1p-9F);
    CHECK(masked(Fidelity::HiFi2, SrcPort::B) == 0x1p-6F);
    CHECK(masked(Fidelity::HiFi2_B, SrcPort::A) == 0x1p-4F);
    CHECK(masked(Fidelity::HiFi2_B, SrcPort::B) == 0x1p-10F);
    CHECK(masked(Fidelity::HiFi4, SrcPort::A) == 0x1p-9F);
    CHECK(masked(Fidelity::HiFi3, SrcPort::B) == 0x1p-10F);
}

TEST_CASE("high and low parts of an operand add up to the HiFi4 operand") {
    const Tensor in = grouped_tensor(3, -20, 20);
    for (const SrcPort port : {SrcPort::A, SrcPort::B}) {
        Tensor low(1, 32, 32), high = in, all = in;
        low_part(port, in.slice(0), low.slice(0));
        mask_operand(port == SrcPort::A ? Fidelity::HiFi2_B : Fidelity::HiFi2, port, high.slice(0));
        mask_operand(Fidelity::HiFi4, port, all.slice(0));
        for (std::size_t i = 0; i < in.data.size(); ++i) CHECK(high.data[i] + low.data[i] == all.data[i]);
    }
    Tensor endless(1, 1, 16, infinity), low(1, 1, 16);
    low_part(SrcPort::A, endless.slice(0), low.slice(0));
    CHECK(low.data[0] == 0.0F);
}

TEST_CASE("sums leave Dst rounded half up in magnitude") {
    CHECK(rounded_to_dest(Float16_b, {float_of(0x3F808000), float_of(0xBF808000), float_of(0x3F807FFF), 1e-39F,
                                      -0.0F}) == Floats{float_of(0x3F810000), float_of(0xBF810000), 1.0F, 0.0F, 0.0F});
    CHECK(rounded_to_dest(Float16_b, {std::numeric_limits<float>::max(), -infinity, not_a_number}) ==
          Floats{infinity, -infinity, infinity});
    CHECK(rounded_to_dest(Float16, {1.0F + 0x1p-11F, 131040.0F, -1e30F, 0x1p-15F}) ==
          Floats{1.0F + 0x1p-10F, 131008.0F, -131008.0F, 0.0F});
    CHECK(rounded_to_dest(Float32, {1e-39F, 0.1F, infinity}) == Floats{0.0F, 0.1F, infinity});
    CHECK(rounded_to_dest(Int32, {-5e9F, 7.0F}) == Floats{-2147483648.0F, 7.0F});
    CHECK_FALSE(std::signbit(rounded_to_dest(Float32, {-0.0F})[0]));
}

TEST_CASE("Bfp8_b output rounds twice") {
    // 6 mantissa bits first: 0.5 + 2^-7, then units of 2^-6: 33. In one step it would be 32.
    const float x = 0.5F + 0x1p-7F - 0x1p-12F;
    CHECK(pack(Float32, Bfp8_b, {1.0F, x})[1] == 33.0F / 64);
    CHECK(host(Bfp8_b, {1.0F, x})[1] == 0.5F);
    // Bfp4_b keeps the top bits of that magnitude.
    CHECK(pack(Float32, Bfp4_b, {1.0F, 0.99F, 0.73F}) == Floats{1.0F, 1.0F, 0.5F});
    CHECK(pack(Float32, Bfp2_b, {1.0F, 0.99F, 0.6F}) == Floats{1.0F, 1.0F, 0.0F});
}

TEST_CASE("packing converts between families") {
    CHECK(pack(Float32, Float16_b, {float_of(0x3F808000), not_a_number}) == Floats{float_of(0x3F810000), infinity});
    CHECK(pack(Float16_b, Float16, {1.5F, 1e9F, 1e-9F}) == Floats{1.5F, 131008.0F, 0.0F});
    CHECK(pack(Float16, Float16_b, {1.0F + 0x1p-8F, 131008.0F}) == Floats{1.0F, 130560.0F});
    CHECK(pack(Float16_b, Bfp8, {1.0F, 0.25F}) == Floats{1.0F, 0.25F});
    CHECK(pack(Float32, Bfp8, {1e9F}) == Floats{130048.0F});
    CHECK(pack(Float32, Float16, {0x1.8p-15F}) == Floats{0x1p-15F});  // code 0 keeps its mantissa bits
    CHECK(pack(Float16_b, Int8, {-2.5F, 200.0F}) == Floats{-3.0F, 127.0F});
    CHECK(pack(Int32, Int8, {-200.0F, 5.0F}) == Floats{-127.0F, 5.0F});
    CHECK(pack(Float32, Lf8, {1.3F, 1e9F}) == Floats{1.25F, 114688.0F});
}

TEST_CASE("work on a part of a matrix leaves the rest alone") {
    Tensor t(1, 4, 64, 1.2345678F);
    const MatrixView part = t.slice(0).sub(1, 16, 2, 32);
    host_convert(Float16_b, part);
    host_convert(Bfp4_b, part);
    mask_operand(Fidelity::LoFi, SrcPort::A, part);
    round_to_dest(Float16, part);
    pack_from_dest(Float16, Bfp2_b, part);
    for (std::int64_t r = 0; r < 4; ++r)
        for (std::int64_t c = 0; c < 64; ++c) {
            const bool inside = r >= 1 && r < 3 && c >= 16 && c < 48;
            CHECK(t.slice(0).at(r, c) == (inside ? 1.0F : 1.2345678F));
        }
}
