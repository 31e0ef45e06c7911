// The two forms of traffic files, each read by a file of its own.
#pragma once

#include "sim/noc/json_fields.hpp"
#include "sim/noc/trace.hpp"

namespace ttsim::impl::noc {

/// Reading stops after so many problems.
constexpr std::size_t most_problems = 20;

Trace read_trace(const Json& list, const std::string& file, const Topology& topology);
Workload read_workload(const Json& map, const std::string& file, const Topology& topology);

/// Puts the corners of a multicast in the order in which the NoC flows (files give them either way round). False, and
/// noted, when no Tensix tile but the source lies in between.
bool set_rectangle(const JsonFields& fields, const Topology& topology, int noc, Node source, NocCoord a, NocCoord b,
                   NocCoord& first, NocCoord& last, Diagnostics& problems);

}  // namespace ttsim::impl::noc
