// Ranges of the padding values in the last tiles of a tensor.
#pragma once

#include "compiler/ir/graph.hpp"
#include "kernels/ops/value_range.hpp"

namespace ttsim::impl::ir {

using PadRange = ValueRange;

/// From the definitions of device ops (kernels/ops/), and from the packer's relu and relu_max.
PadRange unary_pads(const Node& node, PadRange x);               ///< core ops
PadRange binary_pads(const Node& node, PadRange a, PadRange b);  ///< core ops

}  // namespace ttsim::impl::ir
