// Seeded graphs of model ops: shapes, forks, joins, moves.
#pragma once

#include <map>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

Graph random_graph(std::uint32_t seed);
/// Of matrices of up to 6 x 18 tiles: elementwise ops, products and transposes.
Graph random_large_graph(std::uint32_t seed);
/// With loops, turn by turn as a reader leaves them, and quantizers.
Graph random_loop_graph(std::uint32_t seed);

/// The values of a graph's outputs by the ops' own definitions, for the values of its inputs.
std::map<std::string, Literal> evaluate(const Graph& graph, const std::map<std::string, Literal>& inputs);

/// Fails the test where the outputs of a run in float32 are not these.
void require_close(const std::map<std::string, Literal>& have, const std::map<std::string, Literal>& want);

}  // namespace ttsim::impl::ir
