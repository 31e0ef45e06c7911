// The value of an op of the model on the host: by its own definition, or by those of the ops it is made of.
#pragma once

#include <span>

#include "compiler/ir/graph.hpp"

namespace tt::ir {

bool has_host_value(const Node& node);
/// Throws Error(Input) for numbers that the op refuses.
Literal host_value(const Node& node, std::span<const Literal* const> in);
/// Products and other steps that takes, about; of operands of these types.
double host_work(const Node& node, std::span<const Type> in);
/// Composite ops become those they are made of.
void decompose_for_host(Graph& graph);

}  // namespace tt::ir
