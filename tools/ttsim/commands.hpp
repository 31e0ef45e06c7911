// The subcommands of ttsim and their shared options. Their logic is in the libraries.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/run.hpp"
#include "tools/common/option_values.hpp"

namespace ttsim::impl::cli {

class BeyondNetlists;

/// Each adds one subcommand. A subcommand throws ttsim::impl::Error on failure; `run` and `vectors` set exit_status to
/// 1 on a mismatch. `beyond`: null in a program without compiler.
void add_run(CLI::App& app, int& exit_status, const BeyondNetlists* beyond);
void add_check(CLI::App& app);
/// `run_command`: the program itself, for the commands of `ttsim batch`.
void add_batch(CLI::App& app, int (*run_command)(int, char**));
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
/// `arguments`: of the script, and of the sweep.
void add_python(CLI::App& app, std::vector<std::string> arguments);
void add_sweep(CLI::App& app, std::vector<std::string> arguments);
/// Takes the words out of a command line that Python reads, also --help: those behind `ttsim sweep`, or behind the
/// script of `ttsim python`.
std::vector<std::string> take_python_arguments(std::vector<std::string>& words);
/// The words of a command line, with the short flags of `tti merge` (-mbl) in their long form.
std::vector<std::string> with_long_flags(int argc, char** argv);
void add_vectors(CLI::App& app, int& exit_status);

/// The same check, without its description in the help text.
inline CLI::Validator quiet(CLI::Validator check) { return check.description(""); }

/// Adds the netlist of a subcommand. `folders`: it may also be the folder of a compiled model.
void add_netlist(CLI::App& command, std::string& netlist, bool folders = false);

}  // namespace ttsim::impl::cli
