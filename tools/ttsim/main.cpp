// ttsim: main program. Each subcommand has its own cmd_*.cpp.
#include <CLI/CLI.hpp>
#include <iterator>

#include "compiler/ir/pass.hpp"
#include "tools/common/manual.hpp"
#include "tools/ttsim/beyond_netlists.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/program.hpp"

namespace ttsim::impl::cli {

namespace {

constexpr Program ttsim_program{
    "ttsim",
    "Runs Tenstorrent Buda netlists on a SystemC model of Grayskull, Wormhole and Blackhole chips,\n"
    "checks the outputs and reports the cycles.",
    "Examples:\n"
    "  ttsim run examples/bert_encoder.yaml\n"
    "  ttsim new mlp && ttsim run mlp.yaml\n"
    "  ttsim help run"};

int parse_and_run(int argc, char** argv);

/// All subcommands, in the order of the help. `python_arguments`: of a script or a sweep.
std::vector<Subcommand> subcommands(const std::vector<std::string>& python_arguments) {
    std::vector<Subcommand> all = netlist_subcommands(&models_and_pages());
    const Subcommand others[] = {
        {"explain", [](CLI::App& app, int&) { add_explain(app); }},
        {"debug", [](CLI::App& app, int&) { add_debug(app); }},
        {"compile", [](CLI::App& app, int&) { add_compile(app); }},
        {"tti", [](CLI::App& app, int&) { add_tti(app); }},
        {"python", [python_arguments](CLI::App& app, int&) { add_python(app, python_arguments); }},
        {"isa", [](CLI::App& app, int&) { add_isa(app); }},
        {"export", [](CLI::App& app, int&) { add_export(app); }},
        {"report", [](CLI::App& app, int&) { add_report(app); }},
        {"kernel", [](CLI::App& app, int&) { add_kernel(app); }},
        {"dram", [](CLI::App& app, int&) { add_dram(app); }},
        {"eth", [](CLI::App& app, int&) { add_eth(app); }},
        {"noc", [](CLI::App& app, int&) { add_noc(app); }},
        {"pipe", [](CLI::App& app, int&) { add_pipe(app); }},
        {"vectors", [](CLI::App& app, int& exit_status) { add_vectors(app, exit_status); }},
        {"batch", [](CLI::App& app, int&) { add_batch(app, parse_and_run); }},
        {"sweep", [python_arguments](CLI::App& app, int&) { add_sweep(app, python_arguments); }}};
    all.insert(all.end(), std::begin(others), std::end(others));
    return all;
}

std::vector<std::string> pass_names() {
    std::vector<std::string> names;
    for (const ir::Pass* pass : ir::all_passes())
        if (pass->optional) names.emplace_back(pass->name);
    return names;
}

int parse_and_run(int argc, char** argv) {
    completion_values()["--skip-passes"] = pass_names;
    std::vector<std::string> words = with_long_flags(argc, argv);
    const std::vector<std::string> python_arguments = take_python_arguments(words);
    return run_subcommand(ttsim_program, subcommands(python_arguments), words);
}

}  // namespace

}  // namespace ttsim::impl::cli

int main(int argc, char** argv) {
    using namespace ttsim::impl::cli;
    return run_main([&] { return parse_and_run(argc, argv); });
}
