// The subcommands of ttsim and their shared options. Their logic is in the libraries.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/run.hpp"

namespace ttsim::impl::cli {

/// Each adds one subcommand. A subcommand throws ttsim::impl::Error on failure; `run` and `vectors` set exit_status to
/// 1 on a mismatch.
void add_run(CLI::App& app, int& exit_status);
void add_check(CLI::App& app);
void add_explain(CLI::App& app);
void add_debug(CLI::App& app);
void add_new(CLI::App& app);
void add_ops(CLI::App& app);
void add_devices(CLI::App& app);
void add_compile(CLI::App& app);
void add_isa(CLI::App& app);
void add_export(CLI::App& app);
void add_report(CLI::App& app);
void add_kernel(CLI::App& app);
void add_dram(CLI::App& app);
void add_eth(CLI::App& app);
void add_noc(CLI::App& app);
void add_pipe(CLI::App& app);
void add_tti(CLI::App& app);
/// The words of a command line, with the short flags of `tti merge` (-mbl) in their long form.
std::vector<std::string> with_long_flags(int argc, char** argv);
void add_vectors(CLI::App& app, int& exit_status);

/// The same check, without its description in the help text.
inline CLI::Validator quiet(CLI::Validator check) { return check.description(""); }

/// The flags of the subcommands that work on a netlist: the file, the machine, programs and parameters.
struct RunFlags {
    sim::RunOptions options;
    std::vector<std::string> params;  ///< "p_x=2", as written
};
/// `folders`: the netlist may also be the folder of a compiled model.
void add_netlist_flags(CLI::App& command, RunFlags& flags, bool folders = false);
/// Parses text values of flags into flags.options; throws CLI::ValidationError.
void finish_netlist_flags(RunFlags& flags);

/// Splits "NAME=VALUE" at the last '='. Throws CLI::ValidationError that names `flag`.
std::pair<std::string, std::string> name_and_value(const std::string& flag, const std::string& text);

}  // namespace ttsim::impl::cli
