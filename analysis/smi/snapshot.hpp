// A reading as the snapshot of tt-smi: JSON that scripts for the original can parse.
#pragma once

#include <string>

#include "analysis/smi/sample.hpp"

namespace ttsim::impl::smi {

/// `time`: as it shall be shown. What a simulator cannot know is left out; what only it knows is in "simulation".
std::string snapshot(const Sample& sample, const std::string& time);

struct Host {
    std::string os, distribution, kernel, name, platform, memory;
};
Host host();  ///< the machine this runs on

}  // namespace ttsim::impl::smi
