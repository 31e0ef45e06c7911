#include "kernels/exact/sfpu.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl::exact::sfpu {

namespace {

constexpr std::uint32_t one = 0x3F800000U;
constexpr std::uint32_t nan_pattern = 0x7F800001U;
constexpr std::uint32_t mantissa_mask = 0x007FFFFFU;

int field(std::uint32_t bits) { return static_cast<int>((bits >> 23) & 0xFF); }
bool is_nan(std::uint32_t bits) { return (bits & ~sign_bit) > infinity_bits; }
bool is_zero(std::uint32_t bits) { return field(bits) == 0; }
std::uint64_t significand(std::uint32_t bits) { return is_zero(bits) ? 0 : (bits & mantissa_mask) | (1U << 23); }

/// A sum before normalisation: 24 bits plus three, the last of them sticky.
struct Wide {
    std::uint64_t size = 0;
    int exponent = 0;
    std::uint32_t sign = 0;
};

/// Shifts right. Lost bits set the last bit, unless the result is zero.
std::uint64_t shift_sticky(std::uint64_t x, int distance) {
    if (distance <= 0) return x;
    if (distance > 63) return 0;
    const std::uint64_t shifted = x >> distance;
    const bool is_inexact = (x & ((std::uint64_t{1} << distance) - 1)) != 0;
    return shifted != 0 && is_inexact ? shifted | 1 : shifted;
}

/// Result bits, and whether they are a normal number (not zero, infinity or NaN).
struct Rounded {
    std::uint32_t bits = 0;
    bool ordinary = false;
};

Rounded round_sum(Wide x) {
    if (x.size == 0) return {};
    // If two bits are shifted out at once, only the lower one, the sticky bit, is kept.
    if (const int excess = static_cast<int>(std::bit_width(x.size)) - 27; excess > 0) {
        x.size = (x.size >> excess) | (x.size & 1);
        x.exponent += excess;
    }
    while (x.size >> 26 == 0) {
        x.size <<= 1;
        --x.exponent;
    }
    if (x.exponent < 0) return {};
    const std::uint64_t low = x.size & 7;
    std::uint64_t rounded = x.size >> 3;
    if (low > 4 || (low == 4 && (rounded & 1) != 0)) ++rounded;
    if (rounded >> 24 != 0) {
        rounded >>= 1;
        ++x.exponent;
    }
    if (x.exponent >= 255) return {x.sign | infinity_bits, false};
    if (x.exponent == 0) return {};
    return {
        x.sign | static_cast<std::uint32_t>(x.exponent) << 23 | (static_cast<std::uint32_t>(rounded) & mantissa_mask),
        true};
}

Wide add(Wide a, Wide b) {
    if (b.exponent > a.exponent) std::swap(a, b);
    b.size = shift_sticky(b.size, a.exponent - b.exponent);
    const auto signed_size = [](const Wide& w) {
        return w.sign != 0 ? -static_cast<std::int64_t>(w.size) : static_cast<std::int64_t>(w.size);
    };
    const std::int64_t sum = signed_size(a) + signed_size(b);
    return {static_cast<std::uint64_t>(sum < 0 ? -sum : sum), a.exponent, sum < 0 ? sign_bit : 0};
}

/// Product, not normalised: 27 or 28 bits.
Wide product(std::uint32_t a, std::uint32_t b) {
    constexpr int dropped = 20;
    const std::uint64_t size = significand(a) * significand(b);
    const bool is_inexact = (size & ((std::uint64_t{1} << dropped) - 1)) != 0;
    return {(size >> dropped) | (is_inexact ? 1U : 0U), std::min(field(a) + field(b) - 127, 255), (a ^ b) & sign_bit};
}

}  // namespace

std::uint32_t mad(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const int product_field = field(a) + field(b) - 127;
    const bool no_product = is_zero(a) || is_zero(b) || product_field < 0;
    const std::uint32_t product_sign = (a ^ b) & sign_bit;
    const bool infinite_factor = field(a) == 255 || field(b) == 255;
    const bool nan_product = is_nan(a) || is_nan(b) || (infinite_factor && (is_zero(a) || is_zero(b)));
    const bool infinite_product = infinite_factor || (!no_product && product_field >= 255);
    const bool opposite_infinities =
        infinite_product && (c & ~sign_bit) == infinity_bits && product_sign != (c & sign_bit);
    const Wide addend{significand(c) << 3, field(c), c & sign_bit};
    if (nan_product || is_nan(c) || opposite_infinities) {
        const Rounded numeric_result = no_product ? Rounded{c, !is_zero(c) && field(c) != 255}
                                                  : round_sum(is_zero(c) ? product(a, b) : add(product(a, b), addend));
        const std::uint32_t sign = nan_product || opposite_infinities ? product_sign : c & sign_bit;
        return nan_pattern | sign | (numeric_result.ordinary ? numeric_result.bits & ~sign_bit : 0);
    }
    if (no_product) return is_zero(c) ? 0 : c;
    if (infinite_product) return product_sign | infinity_bits;
    if (field(c) == 255) return c;
    return round_sum(is_zero(c) ? product(a, b) : add(product(a, b), addend)).bits;
}

std::uint32_t lut8(std::uint32_t x, std::span<const std::uint32_t, 3> coefficients) {
    const auto value = [](std::uint32_t code) {
        if (code == 0xFF) return 0U;
        const std::uint32_t e = 127 - ((code >> 4) & 7);
        return (code >> 7 << 31) | e << 23 | (code & 15) << 19;
    };
    const std::uint32_t size = x & ~sign_bit;
    const std::size_t segment = size < one ? 0 : size < 0x40000000U ? 1 : 2;
    const std::uint32_t pair = coefficients[segment];
    const std::uint32_t y = mad(value((pair >> 8) & 0xFF), size, value(pair & 0xFF));
    return (y & ~sign_bit) | (x & sign_bit);
}

std::uint32_t lut16(std::uint32_t x, std::span<const std::uint32_t, 6> coefficients) {
    const auto value = [](std::uint32_t code) {
        const std::uint32_t e = (code >> 10) & 31;
        if (e == 31) return (code >> 15 << 31);
        return (code >> 15 << 31) | (e + 112) << 23 | (code & 0x3FF) << 13;
    };
    constexpr std::uint32_t breaks[] = {0x3F000000U, one, 0x3FC00000U, 0x40000000U, 0x40400000U};
    const std::uint32_t size = x & ~sign_bit;
    std::size_t segment = 0;
    while (segment < 5 && size >= breaks[segment]) ++segment;
    const unsigned half = segment % 2 * 16;
    const std::uint32_t slope = value((coefficients[segment / 2] >> half) & 0xFFFF);
    const std::uint32_t offset = value((coefficients[3 + segment / 2] >> half) & 0xFFFF);
    return mad(slope, size, offset);
}

std::uint32_t round_to(Rounding mode, std::uint32_t x) {
    const std::uint32_t size = x & ~sign_bit;
    if (mode == Rounding::Bf16) {
        if (is_zero(x)) return 0;
        return (x & sign_bit) | ((std::min(size, infinity_bits) + 0x8000U) & 0xFFFF0000U);
    }
    const bool keeps_sign = mode == Rounding::Int8 || mode == Rounding::Int16;
    const std::uint32_t max_value = mode == Rounding::UInt8    ? 255
                                    : mode == Rounding::Int8   ? 127
                                    : mode == Rounding::UInt16 ? 65535
                                                               : 32767;
    if (field(x) < 126) return 0;
    std::uint32_t magnitude = max_value;
    if (field(x) < 127 + 16) {
        const int fraction_bits = 150 - field(x);
        magnitude = static_cast<std::uint32_t>(((significand(x) >> (fraction_bits - 1)) + 1) >> 1);
    }
    return std::min(magnitude, max_value) | (keeps_sign ? x & sign_bit : 0);
}

std::uint32_t cast(std::uint32_t x) {
    return bits_of(static_cast<float>(x & ~sign_bit)) | (x & sign_bit);  // conversion rounds to nearest even
}

std::uint32_t exman(int mode, std::uint32_t c) { return (c & mantissa_mask) | ((mode & 1) != 0 ? 0 : 1U << 23); }

std::uint32_t exexp(int mode, std::uint32_t c) {
    return static_cast<std::uint32_t>(field(c) - ((mode & 1) != 0 ? 0 : 127));
}

std::uint32_t setexp(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d) {
    const std::uint32_t e = mode == 0 ? d & 0xFF : mode == 1 ? immediate & 0xFF : (d >> 23) & 0xFF;
    return (c & ~infinity_bits) | e << 23;
}

std::uint32_t setman(std::uint32_t c, std::uint32_t d) { return (c & ~mantissa_mask) | (d & mantissa_mask); }

std::uint32_t setsgn(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d) {
    return (c & ~sign_bit) | ((mode & 1) != 0 ? immediate << 31 : d & sign_bit);
}

std::uint32_t absolute(int mode, std::uint32_t c) {
    if ((mode & 1) == 0) return (c & sign_bit) != 0 ? 0U - c : c;
    return is_nan(c) ? c : c & ~sign_bit;
}

std::uint32_t leading_zeros(int mode, std::uint32_t c) {
    return static_cast<std::uint32_t>(std::countl_zero((mode & 4) != 0 ? c & ~sign_bit : c));
}

std::uint32_t mov(int mode, std::uint32_t c) { return (mode & 1) != 0 ? c ^ sign_bit : c; }

std::uint32_t divp2(int mode, std::uint32_t immediate, std::uint32_t c) {
    if ((mode & 1) == 0) return (c & ~infinity_bits) | (immediate & 0xFF) << 23;
    if (field(c) == 255) return c;
    return (c & ~infinity_bits) | ((static_cast<std::uint32_t>(field(c)) + immediate) & 0xFF) << 23;
}

std::uint32_t iadd(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d) {
    if ((mode & 1) != 0) return c + ((immediate & 0xFFF) ^ 0x800) - 0x800;
    return (mode & 2) != 0 ? c - d : c + d;
}

std::uint32_t shift(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d) {
    const auto by = static_cast<std::int32_t>((mode & 1) != 0 ? ((immediate & 0xFFF) ^ 0x800) - 0x800 : c);
    return by >= 0 ? d << (by & 31) : d >> ((0U - static_cast<std::uint32_t>(by)) & 31);
}

bool flag_after_exexp(int mode, std::uint32_t result) {
    if ((mode & 2) == 0) return true;
    const bool negative = (result & sign_bit) != 0;
    return (mode & 8) != 0 ? !negative : negative;
}

bool flag_after_iadd(int mode, std::uint32_t result) {
    const bool negative = (result & sign_bit) != 0;
    return (mode & 8) != 0 ? !negative : negative;
}

Pair swap(int mode, std::uint32_t d, std::uint32_t c) {
    const auto order = [](std::uint32_t bits) {
        return static_cast<std::int32_t>(bits ^ ((0U - (bits >> 31)) & ~sign_bit));
    };
    if (mode == 0) return {c, d};
    const bool c_is_less = order(c) < order(d);
    return c_is_less == (mode == 1) ? Pair{c, d} : Pair{d, c};
}

std::uint32_t load(Access access, std::uint32_t dest) {
    switch (access) {
        case Access::Fp16: {
            const std::uint32_t size = (dest & 0x7FFFU) << 13;
            return (dest & 0x8000U) << 16 | ((dest & 0x7C00U) == 0 ? size : size + (112U << 23));
        }
        case Access::Bf16:
            return dest << 16;
        case Access::SignMagnitude:
            return (dest & sign_bit) != 0 ? 0U - (dest & ~sign_bit) : dest;
        case Access::Fp32:
        case Access::UInt16:
        case Access::Int32:
            break;
    }
    return dest;
}

std::uint32_t store(Access access, std::uint32_t lreg) {
    switch (access) {
        case Access::Fp16: {
            const std::uint32_t sign = (lreg >> 16) & 0x8000U;
            const int e = field(lreg) - 112;
            if (e <= 0) return sign;
            if (e > 31) return sign | 0x7FFFU;
            return sign | static_cast<std::uint32_t>(e) << 10 | ((lreg >> 13) & 0x3FFU);
        }
        case Access::Bf16:
            return (is_zero(lreg) ? lreg & sign_bit : lreg) >> 16;
        case Access::Fp32:
            return is_zero(lreg) ? lreg & sign_bit : lreg;
        case Access::SignMagnitude:
            return (lreg & sign_bit) != 0 ? sign_bit | ((0U - lreg) & ~sign_bit) : lreg;
        case Access::UInt16:
            return lreg & 0xFFFFU;
        case Access::Int32:
            break;
    }
    return lreg;
}

}  // namespace ttsim::impl::exact::sfpu
