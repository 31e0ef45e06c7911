// The constants that the reference compiler puts into netlists (lc.*, dc.*, eps, mean, avg, var, sum): their values
// are nowhere in the file, so they are found by name and by what consumes them.
#pragma once

#include <optional>

#include "netlist/stimulus/data_flow.hpp"
#include "netlist/stimulus/stimulus_choice.hpp"

namespace ttsim::impl {

/// In a file without a stimulus of its own. Nothing: the queue is no such constant, or its use tells no value.
std::optional<ChosenStimulus> constant_by_use(const Queue& queue, const DataFlow& flow);

/// The few names that keep a value of their own where an inference test with a stimulus fills all queues.
std::optional<ChosenStimulus> inference_constant(const Queue& queue, const TestConfig& test);

}  // namespace ttsim::impl
