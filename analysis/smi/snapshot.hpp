// A reading as a snapshot of tt-smi, in JSON that scripts for the original can parse.
#pragma once

#include <string>

#include "analysis/smi/sample.hpp"

namespace ttsim::impl::smi {

/// `time`: text of the time. Values without a model are left out; values of the simulator are in "simulation".
std::string snapshot(const Sample& sample, const std::string& time);

struct Host {
    std::string os, distribution, kernel, name, platform, memory;
};
Host host();  ///< data of the local machine

}  // namespace ttsim::impl::smi
