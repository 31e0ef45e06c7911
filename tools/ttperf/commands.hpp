// The subcommands of ttperf. Their logic is in the libraries.
#pragma once

#include <CLI/CLI.hpp>

namespace ttsim::impl::cli {

/// Adds the arguments of ttperf without a subcommand: the trace, and options of screens and tables. A signal that ends
/// the screens sets exit_status.
void add_tables(CLI::App& app, int& exit_status);
void add_top(CLI::App& app);
void add_diff(CLI::App& app, int& exit_status);
void add_advice(CLI::App& app);

}  // namespace ttsim::impl::cli
