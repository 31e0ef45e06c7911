// Error handling shared by all command line tools: messages and exit codes.
#pragma once

#include <functional>

namespace ttsim::impl::cli {

constexpr int usage_error = 2, internal_error = 70, resource_limit = 71;

/// Runs a tool and turns exceptions into a message and an exit code: that of an Error, `resource_limit` if memory or
/// threads ran out, otherwise `internal_error`.
int run_tool(const std::function<int()>& tool);

}  // namespace ttsim::impl::cli
