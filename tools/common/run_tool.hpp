// What every command line tool does with what goes wrong.
#pragma once

#include <functional>

namespace ttsim::impl::cli {

constexpr int wrong_usage = 2, our_bug = 70, machine_limit = 71;

/// Runs a tool and turns exceptions into a message and an exit code: an Error its own, no memory and no thread
/// `machine_limit`, anything else `our_bug`.
int run_tool(const std::function<int()>& tool);

}  // namespace ttsim::impl::cli
