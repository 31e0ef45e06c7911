// The registry of device ops in kernels/ops/, by names of the graph.
#pragma once

#include <string>

#include "compiler/ir/graph.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl::ir {

/// The record of an op such as buda.exp; nullptr if there is none.
const OpDef* device_def(const std::string& op);

/// Reads the attributes of a node that the record lists. Throws Error(Input) at node.loc for a value of another kind.
void read_attributes(const Node& node, const OpDef& def, OpAttributes& into);

}  // namespace ttsim::impl::ir
