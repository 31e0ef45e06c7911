#include "tools/ttsim/program.hpp"

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "isa/arch.hpp"
#include "netlist/device/device.hpp"
#include "tools/common/manual.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0 success             3 the modelled machine hangs\n"
    "  1 an output differs   4 a feature the model lacks\n"
    "  2 wrong input         70 a bug in ttsim\n"
    "  71 out of memory, or another resource limit of the machine\n\n";

/// Values that completion offers for options that take a name.
void add_completion_values() {
    auto& values = completion_values();
    values["--device"] = [] {
        std::vector<std::string> names;
        for (const ProductInfo& product : products()) names.push_back(product.name);
        return names;
    };
    values["--arch"] = [] { return chip_names(); };
}

/// Adds the subcommand that the first word names, or all of them, which takes a millisecond.
void add_subcommands(CLI::App& app, std::span<const Subcommand> subcommands, const std::vector<std::string>& words,
                     int& exit_status) {
    const std::string_view first = words.size() > 1 ? std::string_view(words[1]) : std::string_view();
    if (first == "--version" && words.size() == 2) return;
    const bool named = std::ranges::any_of(subcommands, [first](const Subcommand& one) { return one.name == first; });
    for (const Subcommand& one : subcommands)
        if (!named || one.name == first) one.add(app, exit_status);
}

/// Examples are of ttsim; another program shows itself in those that it can run.
std::string own_examples(const std::string& footer, std::string_view program) {
    constexpr std::string_view shown = "ttsim";
    std::istringstream lines(footer);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        const bool beyond = line.find("ttsim compile") != line.npos || line.find("--report") != line.npos;
        for (std::size_t at = 0; !beyond && (at = line.find("ttsim ", at)) != line.npos; at += program.size())
            line.replace(at, shown.size(), program);
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

void show_own_name(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands({})) {
        const std::string footer = own_examples(command->get_footer(), app.get_name());
        command->footer(std::function<std::string()>());
        command->footer(footer);
    }
}

}  // namespace

int run_subcommand(const Program& program, std::span<const Subcommand> subcommands,
                   const std::vector<std::string>& words) {
    CLI::App app{program.description};
    app.name(program.name);
    app.set_version_flag("--version", std::string(program.name) + " " + TTSIM_VERSION);
    app.require_subcommand(1);
    app.footer(std::string(exit_codes) + program.examples);
    add_completion_values();
    int exit_status = 0;
    add_subcommands(app, subcommands, words, exit_status);
    if (app.get_name() != "ttsim") show_own_name(app);
    add_colour_flag(app);
    std::vector<const char*> given;
    for (const std::string& word : words) given.push_back(word.c_str());
    if (const auto done = parse(app, static_cast<int>(given.size()), given.data())) return *done;
    return exit_status;
}

int run_main(const std::function<int()>& main) {
    // Blocks of some hundred KiB are allocated and freed all the time: keep their memory in the process.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_ARENA_MAX, 1);
    return run_tool(main);
}

std::vector<Subcommand> netlist_subcommands(const BeyondNetlists* beyond) {
    return {{"run", [beyond](CLI::App& app, int& exit_status) { add_run(app, exit_status, beyond); }},
            {"check", [](CLI::App& app, int&) { add_check(app); }},
            {"new", [](CLI::App& app, int&) { add_new(app); }},
            {"ops", [](CLI::App& app, int&) { add_ops(app); }},
            {"devices", [](CLI::App& app, int&) { add_devices(app); }}};
}

}  // namespace ttsim::impl::cli
