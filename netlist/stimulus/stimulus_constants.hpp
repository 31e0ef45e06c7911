// Constants that the reference compiler puts into netlists (lc.*, dc.*, eps, mean, avg, var, sum). Their values are not
// in the file, so they are derived from their names and consumers.
#pragma once

#include <optional>

#include "netlist/stimulus/data_flow.hpp"
#include "netlist/stimulus/stimulus_choice.hpp"

namespace ttsim::impl {

/// For files without a stimulus. nullopt: the queue is no such constant, or its use does not determine a value.
std::optional<ChosenStimulus> constant_by_use(const Queue& queue, const DataFlow& flow);

/// Names with a fixed value in inference tests whose stimulus fills all queues.
std::optional<ChosenStimulus> inference_constant(const Queue& queue, const TestConfig& test);

}  // namespace ttsim::impl
