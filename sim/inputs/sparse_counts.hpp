// Counts of nonzero blocks of sparse matmuls, from the encoding in the op's host queue; they determine the time of its
// steps. They are computed before the run in every mode, so that all modes have the same cycles.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "kernels/ops/sparse_encoding.hpp"
#include "netlist/files/manifest.hpp"
#include "netlist/program/queue_state.hpp"
#include "sim/settings/run_options.hpp"

namespace ttsim::impl::sim {

/// The first entry of a host-fed queue; no value when it is not known.
using FirstEntry = std::function<std::optional<Tensor>(const Queue&)>;

/// Counts of the first entry of each encoding, for the core with the most tiles. Ops with unknown encodings are left
/// out.
std::map<const Op*, SparseCounts> sparse_counts(const Netlist& netlist, const FirstEntry& first_entry);

/// Counts for a run with these options. Encodings from one generator for all queues (StimulusOrder::TestOp) are not
/// known. `manifest`: that of options.inputs_dir.
std::map<const Op*, SparseCounts> known_sparse_counts(const Netlist& netlist, const Forecast& forecast,
                                                      const RunOptions& options, const Manifest* manifest);

}  // namespace ttsim::impl::sim
