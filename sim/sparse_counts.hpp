// How much of a sparse matmul is not zero, from the encoding its host queue will hold: the time of its steps depends on
// it. Known before the run and in every mode, so all modes have the same cycles.
#pragma once

#include <map>

#include "kernels/sparse_encoding.hpp"
#include "netlist/manifest.hpp"
#include "netlist/queue_state.hpp"
#include "sim/run.hpp"

namespace tt::sim {

/// Of the first entry of each encoding, for the core with most to do. An op whose encoding is not pushed by the host,
/// or drawn from one generator for all queues (StimulusOrder::TestOp), is missing. `manifest`: of options.inputs_dir.
std::map<const Op*, SparseCounts> known_sparse_counts(const Netlist& netlist, const Forecast& forecast,
                                                      const RunOptions& options, const Manifest* manifest);

}  // namespace tt::sim
