// The parts in which the device runs a graph whose host ops were cut out (compiler/host/host_program.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// The part that each node is in, from 1 on: inputs say theirs, {part = PART}, and no edge leads from one to another.
/// Of a constant: 0.
std::vector<std::int64_t> device_parts(const Graph& graph);

}  // namespace ttsim::impl::ir
