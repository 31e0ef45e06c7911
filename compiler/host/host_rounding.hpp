// Numbers on their way into a queue: the push cuts floats off, so the host rounds them before.
#pragma once

#include <span>

#include "isa/data_format.hpp"

namespace tt::ir {

/// To the nearest number of a 16-bit float format, ties to even; finite ones stay finite. Other formats: unchanged
/// (the push itself rounds block floats and integers).
void round_for_push(DataFormat format, std::span<float> values);

}  // namespace tt::ir
