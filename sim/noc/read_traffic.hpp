// Readers of the two formats of traffic files.
#pragma once

#include "sim/noc/json_fields.hpp"
#include "sim/noc/trace.hpp"

namespace ttsim::impl::noc {

/// Reading stops after this number of problems.
constexpr std::size_t max_problems = 20;

Trace read_trace(const Json& list, const std::string& file, const Topology& topology);
Workload read_workload(const Json& map, const std::string& file, const Topology& topology);

/// Orders the corners of a multicast in the direction of the NoC (files have either order). Returns false and records a
/// problem when the rectangle contains no Tensix node except the source.
bool set_rectangle(const JsonFields& fields, const Topology& topology, int noc, Node source, NocCoord a, NocCoord b,
                   NocCoord& first, NocCoord& last, Diagnostics& problems);

}  // namespace ttsim::impl::noc
