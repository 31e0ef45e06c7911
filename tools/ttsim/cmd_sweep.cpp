// ttsim sweep: many runs at once. The command is written in Python (python/ttsim/sweeps).
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/python_tools.hpp"

namespace ttsim::impl::cli {

void add_sweep(CLI::App& app, std::vector<std::string> arguments) {
    CLI::App* command = app.add_subcommand("sweep", "Run a netlist or model for many options, chips and fields");
    command->footer(
        "'ttsim sweep --help' lists its options.\n\n"
        "Examples:\n"
        "  ttsim sweep sweep.yaml\n"
        "  ttsim sweep show sweep.store --sort cycles");
    command->callback([arguments = std::move(arguments)] { exec_python("ttsim.sweeps", arguments); });
}

}  // namespace ttsim::impl::cli
