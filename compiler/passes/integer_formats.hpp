// Integers on the device: Int8 and Int32, where rules of formats or operands have them.
#pragma once

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// Mark of an op whose result has a float format by a rule; computing_whole() takes it away.
inline constexpr const char* float_result = "float_result";

/// Whether an input, a constant or a result is Int8 or Int32.
bool has_integer_formats(const Graph& graph);

/// Makes ops of integer operands or results compute with integers, and puts conversions between them and floats.
/// Throws LegalizationError with ops that the device cannot do exactly, Error(Input) for a rule that no op can follow.
void compute_whole(Graph& graph);

}  // namespace ttsim::impl::ir
