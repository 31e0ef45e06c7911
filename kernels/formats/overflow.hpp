// Numbers that a format does not hold: what happened to them, and how many there are.
#pragma once

#include <cstdint>

#include "isa/data_format.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// The largest number of a float format; the largest float32 for integers and raw formats, which are not asked.
float largest_number(DataFormat format);

/// Up to that number the format holds every whole one, on its way through the chip too: operands in Float32 pass
/// source registers of 19 bits (`tf32`) or 16.
std::int64_t largest_whole_run(DataFormat format, bool tf32);

/// Packed elements at the end of the format's range: formats of 5 exponent bits saturate there, the others give
/// infinity.
std::int64_t count_saturated(DataFormat format, ConstMatrixView values);

}  // namespace ttsim::impl
