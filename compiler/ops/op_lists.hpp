// The parts of the op table, one file each.
#pragma once

#include <span>

#include "compiler/ir/op_table.hpp"

namespace tt::ir {

std::span<const OpInfo> elementwise_ops();  ///< ops_elementwise.cpp
std::span<const OpInfo> tensor_ops();       ///< ops_tensor.cpp: matmul, map_axis, reshape, ...
std::span<const OpInfo> composite_ops();    ///< ops_composite.cpp: softmax, conv, pools, ...
std::span<const OpInfo> index_ops();        ///< ops_index.cpp: take, arg_max
std::span<const OpInfo> device_ops();       ///< ops_device.cpp: buda.*

}  // namespace tt::ir
