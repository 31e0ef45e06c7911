// Lowers ops to Int8 and Int32 on the device, where format rules or operands require it.
#pragma once

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// Attribute of an op whose result has a float format by a rule; lower_integer_ops() removes it.

/// Whether an input, a constant or a result is Int8 or Int32.
bool has_integer_formats(const Graph& graph);

/// Lowers ops with integer operands or results to integer ops, with conversions between integers and floats. Throws
/// LegalizationError with ops that the device cannot compute exactly, Error(Input) for a rule that no op can follow.
void lower_integer_ops(Graph& graph);

}  // namespace ttsim::impl::ir
