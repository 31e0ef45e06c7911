// State that streams from sample to sample: an output of one is an input of the next.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/host/host_steps.hpp"

namespace ttsim::impl::ir {

/// Output -> the input of the next sample that it is, by their names in the model.
using FeedBack = std::map<std::string, std::string>;

/// Throws Error(Input) at `where` with all names that the model lacks, inputs that two outputs are fed to, pairs of
/// another shape or type, and for a microbatch of several samples, which have no next one.
void check_feed_back(const FeedBack& states, const HostSteps& steps, const SourceLoc& where);

/// Gives the inputs of a sample the outputs of the one before.
void feed_back(const FeedBack& states, const Values& outputs, Values& inputs);

}  // namespace ttsim::impl::ir
