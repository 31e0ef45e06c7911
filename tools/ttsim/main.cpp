// ttsim: main program. Each subcommand has its own cmd_*.cpp.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "compiler/ir/pass.hpp"
#include "isa/arch.hpp"
#include "netlist/device/device.hpp"
#include "tools/common/manual.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"

namespace {

/// Values that completion offers for options that take a name.
void add_completion_values() {
    auto& values = ttsim::impl::cli::completion_values();
    values["--device"] = [] {
        std::vector<std::string> names;
        for (const ttsim::impl::ProductInfo& product : ttsim::impl::products()) names.push_back(product.name);
        return names;
    };
    values["--arch"] = [] { return ttsim::impl::chip_names(); };
    values["--skip-passes"] = [] {
        std::vector<std::string> names;
        for (const ttsim::impl::ir::Pass* pass : ttsim::impl::ir::all_passes())
            if (pass->optional) names.emplace_back(pass->name);
        return names;
    };
}

int parse_and_run(int argc, char** argv);

/// Adds the subcommand that the first word names, or all of them, which takes a millisecond.
void add_commands(CLI::App& app, const std::vector<std::string>& words,
                  const std::vector<std::string>& python_arguments, int& exit_status) {
    namespace cli = ttsim::impl::cli;
    const std::pair<std::string_view, std::function<void()>> commands[] = {
        {"run", [&] { cli::add_run(app, exit_status); }},
        {"check", [&] { cli::add_check(app); }},
        {"explain", [&] { cli::add_explain(app); }},
        {"debug", [&] { cli::add_debug(app); }},
        {"new", [&] { cli::add_new(app); }},
        {"ops", [&] { cli::add_ops(app); }},
        {"devices", [&] { cli::add_devices(app); }},
        {"compile", [&] { cli::add_compile(app); }},
        {"tti", [&] { cli::add_tti(app); }},
        {"python", [&] { cli::add_python(app, python_arguments); }},
        {"isa", [&] { cli::add_isa(app); }},
        {"export", [&] { cli::add_export(app); }},
        {"report", [&] { cli::add_report(app); }},
        {"kernel", [&] { cli::add_kernel(app); }},
        {"dram", [&] { cli::add_dram(app); }},
        {"eth", [&] { cli::add_eth(app); }},
        {"noc", [&] { cli::add_noc(app); }},
        {"pipe", [&] { cli::add_pipe(app); }},
        {"vectors", [&] { cli::add_vectors(app, exit_status); }},
        {"batch", [&] { cli::add_batch(app, parse_and_run); }},
        {"sweep", [&] { cli::add_sweep(app, python_arguments); }},
    };
    const std::string_view first = words.size() > 1 ? std::string_view(words[1]) : std::string_view();
    if (first == "--version" && words.size() == 2) return;
    const bool named = std::ranges::any_of(commands, [first](const auto& command) { return command.first == first; });
    for (const auto& [name, add] : commands)
        if (!named || name == first) add();
}

int parse_and_run(int argc, char** argv) {
    CLI::App app{
        "Runs Tenstorrent Buda netlists on a SystemC model of Grayskull, Wormhole and Blackhole chips,\n"
        "checks the outputs and reports the cycles."};
    app.name("ttsim");
    app.set_version_flag("--version", "ttsim " TTSIM_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Exit codes:\n"
        "  0 success             3 the modelled machine hangs\n"
        "  1 an output differs   4 a feature the model lacks\n"
        "  2 wrong input         70 a bug in ttsim\n"
        "  71 out of memory, or another resource limit of the machine\n\n"
        "Examples:\n"
        "  ttsim run examples/bert_encoder.yaml\n"
        "  ttsim new mlp && ttsim run mlp.yaml\n"
        "  ttsim help run");
    add_completion_values();
    std::vector<std::string> words = ttsim::impl::cli::with_long_flags(argc, argv);
    const std::vector<std::string> python_arguments = ttsim::impl::cli::take_python_arguments(words);
    int exit_status = 0;
    add_commands(app, words, python_arguments, exit_status);
    ttsim::impl::cli::add_colour_flag(app);
    std::vector<const char*> given;
    for (const std::string& word : words) given.push_back(word.c_str());
    if (const auto done = ttsim::impl::cli::parse(app, static_cast<int>(given.size()), given.data())) return *done;
    return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
    // Blocks of some hundred KiB are allocated and freed all the time: keep their memory in the process.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_ARENA_MAX, 1);
    return ttsim::impl::cli::run_tool([&] { return parse_and_run(argc, argv); });
}
