// ttsim sweep: many runs at once. The command is written in Python (python/ttsim/sweeps).
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/python_tools.hpp"

namespace ttsim::impl::cli {

void add_sweep(CLI::App& app) {
    CLI::App* command = app.add_subcommand("sweep", "Run a netlist or model for many options, chips and fields");
    command->prefix_command();
    command->set_help_flag();  // Python prints the help
    command->footer(
        "'ttsim sweep --help' lists its options.\n\n"
        "Examples:\n"
        "  ttsim sweep sweep.yaml\n"
        "  ttsim sweep show sweep.store --sort cycles");
    command->callback([command] { exec_python("ttsim.sweeps", command->remaining()); });
}

}  // namespace ttsim::impl::cli
