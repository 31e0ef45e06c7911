// Ranges of the integers in a model, and which integer ops the device's floats do not compute exactly.
#pragma once

#include <vector>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

/// Bounds of all elements of a value; infinite where unknown.
struct Range {
    double low = 0, high = 0;
    bool is_integral = false;  ///< no element has a fraction
    double largest() const;
};
/// Ranges by value. A value that may wrap around has the range of its type. Float constants of more than `most`
/// elements are not examined.
std::vector<Range> integer_ranges(const Graph& graph, std::int64_t most = 1 << 16);

/// The largest n such that the device holds all integers from 0 to n exactly. Without host fallback, Float32 counts as
/// exact up to 2^24.
std::int64_t exact_integer_limit(const PassOptions& options);

/// By value: integer ops whose results may leave their type, or with values beyond -run to run, which the device's
/// format holds exactly. Not included, since the device may round them: floats, quantized numbers, and products of
/// 8-bit integers.
std::vector<bool> inexact_integer_ops(const Graph& graph, const std::vector<Range>& ranges, std::int64_t run);

}  // namespace ttsim::impl::ir
