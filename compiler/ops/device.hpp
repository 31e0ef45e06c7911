// The registry of device ops in kernels/ops/, by names of the graph.
#pragma once

#include "compiler/ir/op_table.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl::ir {

inline constexpr std::string_view device_prefix = "buda.";  ///< of the names of device ops in the text of graphs

/// The record in kernels/ops/ of an op such as buda.exp; nullptr if there is none.
const OpDef* device_def(OpId op);
/// The record of the device op that a model op such as exp lowers to under the same name; nullptr if there is none.
const OpDef* counterpart_def(OpId op);
/// The record of buda.NAME, an elementwise op of the device.
OpInfo device_row(const OpDef& def);

/// The value of an attribute, as the kind in its record. Throws Error(Input) at node.loc for a value of another kind.
AttrValue record_value(const Node& node, const AttrDef& attr, const Attr& given);
/// Reads the attributes of a node that the record lists. Throws Error(Input) at node.loc for a value of another kind.
void read_attributes(const Node& node, const OpDef& def, OpAttributes& into);

}  // namespace ttsim::impl::ir
