// The value of an op of the model on the host: by its own definition, or by those of the ops it is made of.
#pragma once

#include <map>
#include <span>
#include <string>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

bool has_host_value(const Node& node);
/// Throws Error(Input) for numbers that the op refuses.
Literal host_value(const Node& node, std::span<const Literal* const> in);
/// Products and other steps that takes, about; of operands of these types.
double host_work(const Node& node, std::span<const Type> in);
/// Multiply-adds of products and convolutions; 0: it is none of them.
double multiply_adds(const Node& node, std::span<const Type> in);
/// The same of all nodes of a graph, by where they come from in the model.
using WorkByOrigin = std::map<std::string, double>;
WorkByOrigin multiply_adds(const Graph& graph);
/// Composite ops become those they are made of.
void decompose_for_host(Graph& graph);

}  // namespace ttsim::impl::ir
