// Search for a remedy of a hang: enlarges buffers and queues of the wait-for chain and simulates the result.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sim/settings/run_options.hpp"
#include "sim/state/waiter.hpp"

namespace ttsim::impl::sim {

/// Returns a text that names the buffers to enlarge, with their new sizes, so that the run of `options` completes; ""
/// when the search finds none. Every result was simulated in timing mode. The search takes at most `most`.
std::string remedy(const RunOptions& options, const std::vector<Room>& exhausted_buffers,
                   std::chrono::milliseconds most);

}  // namespace ttsim::impl::sim
