#include "compiler/ir/integers.hpp"

#include <cmath>
#include <limits>

namespace ttsim::impl::ir {

namespace {

using Limits = std::numeric_limits<std::int64_t>;

std::uint64_t raw(std::int64_t element) { return static_cast<std::uint64_t>(element); }

/// cvttsd2si to 64 bits: NaN and values that do not fit give the least number.
std::int64_t to_64(double value) {
    constexpr double limit = 9223372036854775808.0;
    return value >= -limit && value < limit ? static_cast<std::int64_t>(value) : Limits::min();
}
std::int64_t to_32(double value) {
    constexpr double limit = 2147483648.0;
    return value > -limit - 1 && value < limit ? static_cast<std::int64_t>(value)
                                               : std::numeric_limits<std::int32_t>::min();
}

}  // namespace

std::int64_t bits_of(DType type) {
    if (type == DType::I8 || type == DType::U8 || type == DType::Bool) return 8;
    if (type == DType::I16 || type == DType::U16) return 16;
    return type == DType::I32 || type == DType::U32 ? 32 : 64;
}

bool has_sign(DType type) {
    return type == DType::I8 || type == DType::I16 || type == DType::I32 || type == DType::I64;
}

std::int64_t wrapped(std::uint64_t bits, DType type) {
    if (type == DType::Bool) return bits != 0 ? 1 : 0;
    const auto unused = static_cast<unsigned>(64 - bits_of(type));
    if (has_sign(type)) return static_cast<std::int64_t>(bits << unused) >> unused;
    return static_cast<std::int64_t>(bits << unused >> unused);
}

std::int64_t integer_of(double value, DType type) {
    if (type == DType::Bool) return value != 0 ? 1 : 0;
    constexpr double half = 9223372036854775808.0;
    if (type == DType::U64 && value >= half)
        return static_cast<std::int64_t>(raw(to_64(value - half)) ^ raw(Limits::min()));
    const bool short_int = bits_of(type) < 32 || type == DType::I32;
    return wrapped(raw(short_int ? to_32(value) : to_64(value)), type);
}

double to_double(std::int64_t element, DType type) {
    return type == DType::U64 ? static_cast<double>(raw(element)) : static_cast<double>(element);
}
float to_float(std::int64_t element, DType type) {
    return type == DType::U64 ? static_cast<float>(raw(element)) : static_cast<float>(element);
}

std::int64_t least_of(DType type) {
    return has_sign(type) ? wrapped(std::uint64_t{1} << (bits_of(type) - 1), type) : 0;
}
std::int64_t most_of(DType type) {
    if (type == DType::Bool) return 1;
    return has_sign(type) ? static_cast<std::int64_t>(~raw(least_of(type))) : wrapped(~std::uint64_t{0}, type);
}

namespace integers {

bool less(std::int64_t a, std::int64_t b, DType type) { return type == DType::U64 ? raw(a) < raw(b) : a < b; }

std::int64_t add(std::int64_t a, std::int64_t b, DType type) { return wrapped(raw(a) + raw(b), type); }
std::int64_t subtract(std::int64_t a, std::int64_t b, DType type) { return wrapped(raw(a) - raw(b), type); }
std::int64_t multiply(std::int64_t a, std::int64_t b, DType type) { return wrapped(raw(a) * raw(b), type); }

std::int64_t divide(std::int64_t a, std::int64_t b, DType type) {
    if (b == 0) return 0;
    if (type == DType::U64) return static_cast<std::int64_t>(raw(a) / raw(b));
    return b == -1 ? negate(a, type) : wrapped(raw(a / b), type);
}

std::int64_t remainder(std::int64_t a, std::int64_t b, DType type) {
    if (type == DType::U64) return b == 0 ? 0 : static_cast<std::int64_t>(raw(a) % raw(b));
    return b == 0 || b == -1 ? 0 : a % b;
}

std::int64_t modulo(std::int64_t a, std::int64_t b, DType type) {
    const std::int64_t rest = remainder(a, b, type);
    return has_sign(type) && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t power(std::int64_t base, std::int64_t exponent, DType type, DType exponent_type) {
    if (has_sign(exponent_type) && exponent < 0)
        return integer_of(std::pow(to_double(base, type), static_cast<double>(exponent)), type);
    std::uint64_t result = 1, square = raw(base);
    for (std::uint64_t left = raw(exponent); left != 0; left >>= 1, square *= square)
        if ((left & 1) != 0) result *= square;
    return wrapped(result, type);
}

std::int64_t negate(std::int64_t a, DType type) { return wrapped(0 - raw(a), type); }
std::int64_t absolute(std::int64_t a, DType type) { return has_sign(type) && a < 0 ? negate(a, type) : a; }
std::int64_t sign(std::int64_t a, DType type) { return a == 0 ? 0 : has_sign(type) && a < 0 ? -1 : 1; }
std::int64_t larger(std::int64_t a, std::int64_t b, DType type) { return less(a, b, type) ? b : a; }
std::int64_t smaller(std::int64_t a, std::int64_t b, DType type) { return less(b, a, type) ? b : a; }

}  // namespace integers

}  // namespace ttsim::impl::ir
