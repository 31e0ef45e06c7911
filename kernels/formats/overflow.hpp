// Limits of the data formats, and detection of overflow.
#pragma once

#include <cstdint>

#include "isa/data_format.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// The largest number of a float format; the largest float32 for integers and raw formats (unused).
float largest_number(DataFormat format);

/// All integers up to this number are exact in the format and on their way through the chip: Float32 operands pass
/// source registers of 19 bits (`tf32`) or 16 bits.
std::int64_t max_exact_integer(DataFormat format, bool tf32);

/// Number of packed elements that overflowed. Formats with 5 exponent bits saturate, the others become infinite.
std::int64_t count_saturated(DataFormat format, ConstMatrixView values);

}  // namespace ttsim::impl
