// Gradient rules: for each differentiable op, the gradient of a loss with respect to one operand.
//
// A rule adds nodes that compute it from the operands, the result, and the gradient of the result. Elementwise rules
// return a gradient with the dims of the result; autograd sums it over the axes along which the operand was broadcast.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

/// One use of an op in the forward graph. All values are in the graph of `build`.
struct GradientCall {
    Builder& build;
    const Node node;          ///< a copy: adding nodes moves those of the graph
    std::vector<ValueId> in;  ///< operands
    ValueId out = 0;          ///< result
    ValueId grad = 0;         ///< gradient of the result, with its dims
};

/// Adds the gradient with respect to operand `k`. Nothing: the operand has none, such as indices or a condition.
using GradientRule = std::optional<ValueId> (*)(const GradientCall& call, std::size_t k);

/// The rule of an op; nullptr: the op must be decomposed first, or has no gradient.
GradientRule find_gradient(OpId op);

/// Sums x over the axes along which an operand of these dims was broadcast to the dims of x.
ValueId unbroadcast(Builder& build, ValueId x, const Dims& dims);

}  // namespace ttsim::impl::ir
