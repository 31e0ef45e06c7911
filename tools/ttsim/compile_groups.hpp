// The headings below which 'ttsim compile --help' lists its options.
#pragma once

#include <CLI/CLI.hpp>

namespace ttsim::impl::cli {

/// Puts every option of `command` below a heading. Throws Error(Internal) for an option that no heading has, so that a
/// new one is not forgotten.
void group_compile_options(CLI::App& command);

}  // namespace ttsim::impl::cli
