// Quantized values: x = (q - zero) * scale with integers q.
#pragma once

#include <functional>
#include <utility>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

/// The smallest and largest value of a quantized type. Fails for types that quantizers do not have.
std::pair<double, double> quantized_range(const Import& n, DType type);

/// Whether float32 holds all sums of products of operands 0 and 1 exactly. Both have 8 bits; `zeros` are the operands
/// with their zero points. Each sum has `inner` products. `weights` is operand 1 minus its zero point, and `sum_of`
/// maps an element of it to its sum.
bool is_exact_in_float32(const Import& n, std::pair<std::size_t, std::size_t> zeros, ValueId weights,
                         std::int64_t inner, const std::function<std::int64_t(std::int64_t)>& sum_of);

/// Reshapes a scale or zero point `v` to broadcast over `dims`: one for all elements, one per element of the axis, or
/// one per `block` elements of the axis. The last is repeated.
ValueId along_axis(Import& n, ValueId v, const Dims& dims, std::int64_t axis, std::int64_t block = 0);

/// Dequantizes operand k with the scale k + 1 and the zero point k + 2, which may be missing. A scale or zero point of
/// several elements belongs to the axis.
ValueId dequantized(Import& n, std::size_t k, std::int64_t axis = 0);
ValueId dequantized(Import& n, ValueId x, ValueId scale, std::optional<ValueId> zero, std::int64_t axis = 0);
/// Quantizes y with the scale operand `scale` and the zero point operand `scale` + 1, each of one element. Without a
/// zero point the type is u8.
ValueId quantized(Import& n, ValueId y, std::size_t scale);
/// Rounds y, floats in units of the scale, to integers of type `to`. `zero` is the zero point as a float.
ValueId quantize_to(Import& n, ValueId y, ValueId zero, DType to);

}  // namespace ttsim::impl::ir
