// ttperf: shows where the cycles of a trace went. Each subcommand has its own cmd_*.cpp.
#include <CLI/CLI.hpp>

#include "tools/common/run_tool.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttperf/commands.hpp"

namespace {

int parse_and_run(int argc, char** argv) {
    CLI::App app{
        "Analyses a trace written by 'ttsim run NETLIST --trace FILE.ttperf'.\n"
        "On a terminal it opens interactive screens: epochs, their ops, cores, links and memory channels.\n"
        "Otherwise, or with --text, it prints the run and its epochs, with the bottleneck op of each."};
    app.name("ttperf");
    app.set_version_flag("--version", "ttperf " TTSIM_VERSION);
    int exit_status = 0;
    ttsim::impl::cli::add_tables(app, exit_status);
    ttsim::impl::cli::add_top(app);
    ttsim::impl::cli::add_diff(app, exit_status);
    ttsim::impl::cli::add_advice(app);
    ttsim::impl::cli::add_colour_flag(app);
    if (const auto done = ttsim::impl::cli::parse(app, argc, argv)) return *done;
    return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
    return ttsim::impl::cli::run_tool([&] { return parse_and_run(argc, argv); });
}
