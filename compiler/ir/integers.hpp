// Integers of a fixed width: what every op of integer types computes, modulo 2^n in two's complement, as NumPy does.
//
// An element of an integer type is kept as std::int64_t: its value, for u64 the bits of its value, for bool 0 or 1.
#pragma once

#include <cstdint>

#include "compiler/ir/literal.hpp"

namespace ttsim::impl::ir {

std::int64_t bits_of(DType type);  ///< 8 to 64; of an integer type
bool has_sign(DType type);
/// The element that the lowest bits of a number make; of bool 1 unless all bits are 0.
std::int64_t wrapped(std::uint64_t bits, DType type);
/// A float as an integer, without its fraction. ONNX leaves open what is outside of the type's range. There it is what
/// static_cast gives on x86-64, as in onnxruntime: the lowest bits of the int32 for types of 8 and 16 bits, of the
/// int64 for u32. NaN and what these do not hold is their least number.
std::int64_t integer_of(double value, DType type);
double to_double(std::int64_t element, DType type);
float to_float(std::int64_t element, DType type);  ///< rounded once
std::int64_t least_of(DType type), most_of(DType type);

namespace integers {

bool less(std::int64_t a, std::int64_t b, DType type);
std::int64_t add(std::int64_t a, std::int64_t b, DType type);
std::int64_t subtract(std::int64_t a, std::int64_t b, DType type);
std::int64_t multiply(std::int64_t a, std::int64_t b, DType type);
/// Towards 0. By 0 it is 0, and the least number by -1 is itself, as in NumPy; ONNX leaves both open.
std::int64_t divide(std::int64_t a, std::int64_t b, DType type);
/// What is left by divide(), with the sign of a.
std::int64_t remainder(std::int64_t a, std::int64_t b, DType type);
std::int64_t modulo(std::int64_t a, std::int64_t b, DType type);  ///< with the sign of b; by 0 it is 0
/// `exponent` of its own type; negative ones give the real quotient without its fraction.
std::int64_t power(std::int64_t base, std::int64_t exponent, DType type, DType exponent_type);
std::int64_t negate(std::int64_t a, DType type);
std::int64_t absolute(std::int64_t a, DType type);
std::int64_t sign(std::int64_t a, DType type);
std::int64_t larger(std::int64_t a, std::int64_t b, DType type);
std::int64_t smaller(std::int64_t a, std::int64_t b, DType type);

}  // namespace integers

}  // namespace ttsim::impl::ir
