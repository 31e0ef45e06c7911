// Corrects biases by the mean error of rounded weights.
//
// Rounding errors of weights are constant. Their products with the mean activations shift every row of a result
// equally. Unlike errors of results they do not average out over pixels or layers. The mean activations are
// approximately known (passes/activation_samples.hpp), so the constant that is added to a product can compensate the
// shift.
#pragma once

#include "compiler/backend/emit.hpp"

namespace ttsim::impl::ir {

/// `graph`: device-level, with the emitted constants. Biases with other readers, or without a known mean, are
/// unchanged. `samples`: values of the graph's inputs by origin, to measure means on; null: inputs are assumed normal
/// around 0.
void bias_correction(const Graph& graph, EmittedModel& emitted, unsigned threads,
                     const std::map<std::string, Literal>* samples = nullptr);

}  // namespace ttsim::impl::ir
