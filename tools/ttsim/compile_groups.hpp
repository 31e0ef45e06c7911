// Groups the options of 'ttsim compile --help' under headings.
#pragma once

#include <CLI/CLI.hpp>

namespace ttsim::impl::cli {

/// Puts every option of `command` under a heading. Throws Error(Internal) for an option without one, such as a new
/// option.
void group_compile_options(CLI::App& command);

}  // namespace ttsim::impl::cli
