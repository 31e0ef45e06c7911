// ttsim check: everything before a run, nothing of the run.
#include <fmt/format.h>

#include <memory>

#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/ttsim/commands.hpp"

namespace tt::cli {

void add_check(CLI::App& app) {
    auto flags = std::make_shared<RunFlags>();
    CLI::App* command = app.add_subcommand("check", "Validate a netlist without running it");
    add_netlist_flags(*command, *flags);
    command->footer(
        "Prints every error of the netlist with its line, or the chip it is valid on.\n\n"
        "Examples:\n"
        "  ttsim check encoder.yaml\n"
        "  ttsim check encoder.yaml --device wh_n150");
    command->callback([flags] {
        want(InputKind::Netlist, flags->options.netlist, "ttsim check");
        finish_netlist_flags(*flags);
        const sim::CheckReport report = sim::check(flags->options);
        std::string text = fmt::format("{}: valid on {}\n", flags->options.netlist, report.arch);
        for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
        print_text(text);
    });
}

}  // namespace tt::cli
