// The parts of the op table, one file each.
#pragma once

#include <span>

#include "compiler/ir/op_table.hpp"

namespace tt::ir {

std::span<const OpInfo> elementwise_ops();  ///< elementwise.cpp
std::span<const OpInfo> tensor_ops();       ///< tensor.cpp: matmul, map_axis, reshape, ...
std::span<const OpInfo> composite_ops();    ///< composite.cpp: softmax, conv, pools, ...
std::span<const OpInfo> index_ops();        ///< index.cpp: take, arg_max
std::span<const OpInfo> device_ops();       ///< device.cpp: buda.*

}  // namespace tt::ir
