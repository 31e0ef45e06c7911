// What ttperf can be asked. No logic lives here: it is in the libraries.
#pragma once

#include <CLI/CLI.hpp>

namespace ttsim::impl::cli {

/// The trace, its screens and the flags of its tables, of ttperf itself rather than of a subcommand. A signal that ends
/// the screens sets exit_status.
void add_tables(CLI::App& app, int& exit_status);
void add_top(CLI::App& app);
void add_diff(CLI::App& app, int& exit_status);
void add_advice(CLI::App& app);

}  // namespace ttsim::impl::cli
