// The parts in which the device runs a graph after the host ops were removed (compiler/host/host_program.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// The part of each node, from 1 on; 0 for constants. Inputs have the attribute {part = PART}. With a backward and an
/// optimizer phase these are parts 2 and 3, and their ops read values of earlier parts from queues; otherwise no edge
/// crosses parts.
std::vector<std::int64_t> device_parts(const Graph& graph);

}  // namespace ttsim::impl::ir
