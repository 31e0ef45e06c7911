// Arithmetic on integers of a fixed width: modulo 2^n in two's complement, as in NumPy.
//
// An element of an integer type is an std::int64_t: its value, for u64 the bits of its value, for bool 0 or 1.
#pragma once

#include <cstdint>

#include "compiler/ir/literal.hpp"

namespace ttsim::impl::ir {

std::int64_t bits_of(DType type);  ///< 8 to 64; requires an integer type
bool has_sign(DType type);
/// The element in the lowest bits of `bits`; for bool 1 unless all bits are 0.
std::int64_t wrapped(std::uint64_t bits, DType type);
/// Converts a float to an integer, dropping the fraction. ONNX does not define values outside the type's range. The
/// result there is that of static_cast on x86-64, as in onnxruntime: the lowest bits of the int32 for types of 8 and 16
/// bits, of the int64 for u32. NaN and values beyond that int32 or int64 give its least number.
std::int64_t integer_of(double value, DType type);
double to_double(std::int64_t element, DType type);
float to_float(std::int64_t element, DType type);  ///< rounded once
std::int64_t least_of(DType type), most_of(DType type);

namespace integers {

bool less(std::int64_t a, std::int64_t b, DType type);
std::int64_t add(std::int64_t a, std::int64_t b, DType type);
std::int64_t subtract(std::int64_t a, std::int64_t b, DType type);
std::int64_t multiply(std::int64_t a, std::int64_t b, DType type);
/// Rounds towards 0. Division by 0 gives 0 and the least number by -1 gives itself, as in NumPy; ONNX defines neither.
std::int64_t divide(std::int64_t a, std::int64_t b, DType type);
/// The remainder of divide(), with the sign of a.
std::int64_t remainder(std::int64_t a, std::int64_t b, DType type);
std::int64_t modulo(std::int64_t a, std::int64_t b, DType type);  ///< has the sign of b; 0 if b is 0
/// `exponent` has its own type. Negative exponents give the real result without its fraction.
std::int64_t power(std::int64_t base, std::int64_t exponent, DType type, DType exponent_type);
std::int64_t negate(std::int64_t a, DType type);
std::int64_t absolute(std::int64_t a, DType type);
std::int64_t sign(std::int64_t a, DType type);
std::int64_t larger(std::int64_t a, std::int64_t b, DType type);
std::int64_t smaller(std::int64_t a, std::int64_t b, DType type);

}  // namespace integers

}  // namespace ttsim::impl::ir
