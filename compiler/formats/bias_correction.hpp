// What rounding takes from the weights of products is given back by their biases.
//
// Weights are rounded to their format once, and what that takes from each, times what the weight meets in the mean, is
// added to every row of a result alike: unlike the rounding of results it does not average out, neither over the pixels
// of a picture nor over the layers of a network, whose means shift with it. The mean is known beforehand, about
// (passes/activation_samples.hpp), so the constant that a product adds takes the difference.
#pragma once

#include "compiler/backend/emit.hpp"

namespace ttsim::impl::ir {

/// `graph`: on device level, with the constants that were emitted. Biases that other products or other ops read as well
/// stay as they are, and those of which the mean is not known. `samples`: values of the graph's inputs, by their
/// origins, to measure means on; null: inputs are taken to be normal, around 0.
void bias_correction(const Graph& graph, EmittedModel& emitted, unsigned threads,
                     const std::map<std::string, Literal>* samples = nullptr);

}  // namespace ttsim::impl::ir
