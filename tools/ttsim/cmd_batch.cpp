// ttsim batch: runs commands that other programs send.
#include <iostream>
#include <memory>

#include "tools/ttsim/command_server.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

void add_batch(CLI::App& app, int (*run_command)(int, char**)) {
    CLI::App* command = app.add_subcommand("batch", "Run commands read from standard input, for other programs");
    command->footer(
        "Reads one JSON object a line: {\"command\": [\"run\", \"netlist.yaml\"], \"seconds\": 60, \"memory_bytes\": "
        "4e9}.\n"
        "Each command runs in a process of its own, which starts from this one. A netlist is read once.\n"
        "Answers one JSON object a line: status, signal, timed_out, out_of_memory, seconds, cpu_seconds, peak_bytes, "
        "stdout, stderr.\n\n"
        "Examples:\n"
        "  echo '{\"command\": [\"run\", \"encoder.yaml\", \"--mode\", \"timing\", \"--json\", \"-\"]}' | ttsim batch");
    command->callback([run_command] { serve_commands(run_command, std::cin, std::cout); });
}

}  // namespace ttsim::impl::cli
