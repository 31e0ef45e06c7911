// The parts of the op table, one file each.
#pragma once

#include <span>

#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

std::span<const OpInfo> elementwise_ops();  ///< elementwise.cpp
std::span<const OpInfo> tensor_ops();       ///< tensor.cpp: matmul, map_axis, reshape, ...
std::span<const OpInfo> composite_ops();    ///< composite.cpp: softmax, conv, pools, ...
std::span<const OpInfo> index_ops();        ///< index.cpp: take, arg_max
std::span<const OpInfo> device_ops();       ///< device.cpp: buda.*
// host ops
std::span<const OpInfo> sort_ops();     ///< host_sort.cpp: top_k
std::span<const OpInfo> scatter_ops();  ///< host_scatter.cpp: gather_elements, scatter_nd, ...
std::span<const OpInfo> sample_ops();   ///< host_sample.cpp: grid_sample, ...
std::span<const OpInfo> region_ops();   ///< host_regions.cpp: roi_align, ...
std::span<const OpInfo> number_ops();   ///< host_numbers.cpp: bits of integers, det, inverse
std::span<const OpInfo> tree_ops();     ///< host_trees.cpp: decision trees, key-value tables
std::span<const OpInfo> tail_ops();     ///< model_tail.cpp: nodes whose result shapes are known only at run time
std::span<const OpInfo> loop_ops();     ///< loops.cpp: loops as device programs

}  // namespace ttsim::impl::ir
