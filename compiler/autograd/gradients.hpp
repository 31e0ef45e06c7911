// The parts of the table of gradient rules, one file each.
#pragma once

#include <span>
#include <string_view>

#include "compiler/autograd/gradient.hpp"

namespace ttsim::impl::ir {

struct GradientRow {
    OpId op;
    GradientRule rule;
};

std::span<const GradientRow> elementwise_gradients();  ///< gradients_elementwise.cpp
std::span<const GradientRow> tensor_gradients();       ///< gradients_tensor.cpp: matmul, moves, gathers
std::span<const GradientRow> composite_gradients();    ///< gradients_composite.cpp: softmax, layer_norm

}  // namespace ttsim::impl::ir
