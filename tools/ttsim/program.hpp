// Shared by the programs ttsim and ttsim-netlist: their subcommands, exit codes and memory settings. Includes no
// header of CLI11, so that a main program compiles in a second.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ttsim::impl::cli {

class BeyondNetlists;

struct Subcommand {
    std::string_view name;
    /// A subcommand sets the exit status on a mismatch.
    std::function<void(CLI::App&, int& exit_status)> add;
};

struct Program {
    const char* name;
    const char* description;
    const char* examples;  ///< end of the help
};

/// Parses the words of a command line and runs the subcommand. Returns the exit code.
int run_subcommand(const Program& program, std::span<const Subcommand> subcommands,
                   const std::vector<std::string>& words);

/// Runs the main function of a program: turns exceptions into messages and exit codes.
int run_main(const std::function<int()>& main);

/// The subcommands that need no compiler. `beyond`: null in ttsim-netlist.
std::vector<Subcommand> netlist_subcommands(const BeyondNetlists* beyond);

}  // namespace ttsim::impl::cli
