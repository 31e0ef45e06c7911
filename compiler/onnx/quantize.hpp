// Numbers on a grid of whole ones: x = (q - zero) * scale.
#pragma once

#include <functional>
#include <utility>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

/// The least and the largest number of a type that quantizers give. Fails for another type.
std::pair<double, double> grid_limits(const Import& n, DType type);

/// Whether float32 holds all sums of products of operands 0 and 1, of 8 bits, less their zero points (operands
/// `zeros`). Each sum has `inner` products; `weights` is operand 1 less its zero point, and `sum_of` the sum that a
/// element of it goes to.
bool float_holds_sums(const Import& n, std::pair<std::size_t, std::size_t> zeros, ValueId weights, std::int64_t inner,
                      const std::function<std::int64_t(std::int64_t)>& sum_of);

/// A scale or zero point `v` shaped so that it is broadcast over `dims`: one for all, one for each element of the axis,
/// or one for each `block` of elements of the axis, in which case it is repeated.
ValueId along_axis(Import& n, ValueId v, const Dims& dims, std::int64_t axis, std::int64_t block = 0);

/// Operands k (integers), k + 1 (scale) and k + 2 (zero point, may be missing) as floats; a scale or zero point
/// of several numbers goes along the axis.
ValueId dequantized(Import& n, std::size_t k, std::int64_t axis = 0);
ValueId dequantized(Import& n, ValueId x, ValueId scale, std::optional<ValueId> zero, std::int64_t axis = 0);
/// y on the grid of operands `scale` and `scale` + 1 (zero point; without one u8), each of one number.
ValueId quantized(Import& n, ValueId y, std::size_t scale);
/// y, floats in steps of the grid, as its numbers of type `to`; `zero`: that which stands for 0, as a float.
ValueId on_grid(Import& n, ValueId y, ValueId zero, DType to);

}  // namespace ttsim::impl::ir
