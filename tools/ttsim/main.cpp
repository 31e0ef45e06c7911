// ttsim: main program. Each subcommand has its own cmd_*.cpp.
#include <malloc.h>

#include <CLI/CLI.hpp>

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
    ttsim::impl::cli::add_run(app, exit_status);
    ttsim::impl::cli::add_check(app);
    ttsim::impl::cli::add_explain(app);
    ttsim::impl::cli::add_debug(app);
    ttsim::impl::cli::add_new(app);
    ttsim::impl::cli::add_ops(app);
    ttsim::impl::cli::add_devices(app);
    ttsim::impl::cli::add_compile(app);
    ttsim::impl::cli::add_tti(app);
    ttsim::impl::cli::add_python(app, python_arguments);
    ttsim::impl::cli::add_isa(app);
    ttsim::impl::cli::add_export(app);
    ttsim::impl::cli::add_report(app);
    ttsim::impl::cli::add_kernel(app);
    ttsim::impl::cli::add_dram(app);
    ttsim::impl::cli::add_eth(app);
    ttsim::impl::cli::add_noc(app);
    ttsim::impl::cli::add_pipe(app);
    ttsim::impl::cli::add_vectors(app, exit_status);
    ttsim::impl::cli::add_batch(app, parse_and_run);
    ttsim::impl::cli::add_sweep(app, python_arguments);
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
