// How much of a sparse matmul is not zero, from the encoding its host queue will hold: the time of its steps depends on
// it. Known before the run and in every mode, so all modes have the same cycles.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "kernels/ops/sparse_encoding.hpp"
#include "netlist/files/manifest.hpp"
#include "netlist/program/queue_state.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::sim {

/// The first entry of a queue that the host fills, if it is known.
using FirstEntry = std::function<std::optional<Tensor>(const Queue&)>;

/// Of the first entry of each encoding, for the core with most to do. An op whose encoding is not known is missing.
std::map<const Op*, SparseCounts> sparse_counts(const Netlist& netlist, const FirstEntry& first_entry);

/// The same for a run of a file. An encoding drawn from one generator for all queues (StimulusOrder::TestOp) is not
/// known. `manifest`: of options.inputs_dir.
std::map<const Op*, SparseCounts> known_sparse_counts(const Netlist& netlist, const Forecast& forecast,
                                                      const RunOptions& options, const Manifest* manifest);

}  // namespace ttsim::impl::sim
