// Computes model ops on the host, by their own definition or by those of the ops they decompose into.
#pragma once

#include <map>
#include <span>
#include <string>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

bool has_host_value(const Node& node);
/// All results of a node, but not those of a `result`. Throws Error(Input) for invalid operand values.
std::vector<Literal> host_values(const Node& node, std::span<const Literal* const> in);
/// Approximate number of operations of an op with operands of these types.
double host_work(const Node& node, std::span<const Type> in);
/// Multiply-adds of a product or convolution; 0 for other ops.
double multiply_adds(const Node& node, std::span<const Type> in);
/// Multiply-adds of all nodes of a graph, by origin in the model.
using WorkByOrigin = std::map<std::string, double>;
WorkByOrigin multiply_adds(const Graph& graph);
/// Decomposes composite ops.
void decompose_for_host(Graph& graph);

}  // namespace ttsim::impl::ir
