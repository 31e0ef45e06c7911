// What every command line tool does with what goes wrong.
#pragma once

#include <functional>

namespace tt::cli {

constexpr int wrong_usage = 2, our_bug = 70;

/// Runs a tool and turns exceptions into a message and an exit code: an Error its own, anything else `our_bug`.
int run_tool(const std::function<int()>& tool);

}  // namespace tt::cli
