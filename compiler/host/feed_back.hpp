// Feeds states from sample to sample: an output of one sample is an input of the next.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/host/host_steps.hpp"

namespace ttsim::impl::ir {

/// Output -> the input of the next sample, by names in the model.
using FeedBack = std::map<std::string, std::string>;

/// Throws Error(Input) at `where` with all unknown names, inputs fed by two outputs, and pairs with different shapes or
/// types. A microbatch of several samples is also an error, because they run together.
void check_feed_back(const FeedBack& states, const HostSteps& steps, const SourceLoc& where);

/// Copies the outputs of a sample to the inputs of the next.
void feed_back(const FeedBack& states, const Values& outputs, Values& inputs);

}  // namespace ttsim::impl::ir
