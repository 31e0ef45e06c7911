#include "compiler/onnx/narrow_types.hpp"

#include <cmath>
#include <limits>

namespace ttsim::impl::ir {

namespace {

/// Decodes sign, exponent (with this bias) and significand. The largest exponent has no special meaning.
template <int ExponentBits, int SignificandBits>
float small_float(std::uint32_t bits, int bias) {
    const auto significand = static_cast<int>(bits & ((1U << SignificandBits) - 1));
    const auto exponent = static_cast<int>(bits >> SignificandBits & ((1U << ExponentBits) - 1));
    const float size = exponent == 0 ? std::ldexp(static_cast<float>(significand), 1 - bias - SignificandBits)
                                     : std::ldexp(static_cast<float>(significand + (1 << SignificandBits)),
                                                  exponent - bias - SignificandBits);
    return (bits >> (ExponentBits + SignificandBits) & 1) != 0 ? -size : size;
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

float e4m3fn(std::uint32_t bits) { return (bits & 0x7f) == 0x7f ? nan : small_float<4, 3>(bits, 7); }
float e4m3fnuz(std::uint32_t bits) { return bits == 0x80 ? nan : small_float<4, 3>(bits, 8); }
float e5m2(std::uint32_t bits) {
    if ((bits & 0x7f) > 0x7c) return nan;
    if ((bits & 0x7f) == 0x7c) return bits == 0x7c ? INFINITY : -INFINITY;
    return small_float<5, 2>(bits, 15);
}
float e5m2fnuz(std::uint32_t bits) { return bits == 0x80 ? nan : small_float<5, 2>(bits, 16); }
float e2m1(std::uint32_t bits) { return small_float<2, 1>(bits, 1); }

float unsigned_integer(std::uint32_t bits) { return static_cast<float>(bits); }
template <int Bits>
float signed_integer(std::uint32_t bits) {
    const auto value = static_cast<int>(bits);
    return static_cast<float>(value >= 1 << (Bits - 1) ? value - (1 << Bits) : value);
}

}  // namespace

std::optional<NarrowType> narrow_type(int number) {
    switch (number) {
        case 17:
            return NarrowType{8, e4m3fn};
        case 18:
            return NarrowType{8, e4m3fnuz};
        case 19:
            return NarrowType{8, e5m2};
        case 20:
            return NarrowType{8, e5m2fnuz};
        case 21:
            return NarrowType{4, unsigned_integer};
        case 22:
            return NarrowType{4, signed_integer<4>};
        case 23:
            return NarrowType{4, e2m1};
        case 25:
            return NarrowType{2, unsigned_integer};
        case 26:
            return NarrowType{2, signed_integer<2>};
        default:
            return std::nullopt;
    }
}

}  // namespace ttsim::impl::ir
