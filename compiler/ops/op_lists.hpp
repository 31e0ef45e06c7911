// The parts of the op table, one file each.
#pragma once

#include <span>

#include "compiler/ops/op_declaration.hpp"

namespace ttsim::impl::ir {

/// Functions of an op that has no row: its type rule is the named one. The value of a core op is that of its device
/// op's golden; other ops are evaluated by their decomposition.
OpFunctions functions_by_rule(OpId op, const OpDeclaration& declaration);  ///< elementwise.cpp
std::span<const OpFunctions> elementwise_ops();                            ///< elementwise.cpp
std::span<const OpFunctions> tensor_ops();     ///< tensor.cpp: matmul, map_axis, reshape, ...
std::span<const OpFunctions> composite_ops();  ///< composite.cpp: softmax, conv, pools, ...
std::span<const OpFunctions> index_ops();      ///< index.cpp: take, arg_max
std::span<const OpFunctions> device_ops();     ///< device.cpp: buda.*
// host ops
std::span<const OpFunctions> sort_ops();     ///< host_sort.cpp: top_k
std::span<const OpFunctions> scatter_ops();  ///< host_scatter.cpp: gather_elements, scatter_nd, ...
std::span<const OpFunctions> sample_ops();   ///< host_sample.cpp: grid_sample, ...
std::span<const OpFunctions> region_ops();   ///< host_regions.cpp: roi_align, ...
std::span<const OpFunctions> number_ops();   ///< host_numbers.cpp: bits of integers, det, inverse
std::span<const OpFunctions> tree_ops();     ///< host_trees.cpp: decision trees, key-value tables
std::span<const OpFunctions> tail_ops();     ///< model_tail.cpp: nodes whose result shapes are known only at run time
std::span<const OpFunctions> loop_ops();     ///< loops.cpp: loops as device programs

}  // namespace ttsim::impl::ir
