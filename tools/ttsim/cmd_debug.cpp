// ttsim debug: stops a run at chosen points and shows the state of the machine.
#include <fmt/format.h>

#include <sstream>

#include "analysis/debug/debugger.hpp"
#include "base/read_file.hpp"
#include "generated/run_flags.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/line_editor.hpp"
#include "tools/common/output.hpp"
#include "tools/common/stop_signals.hpp"
#include "tools/common/terminal.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/model.hpp"

namespace ttsim::impl::cli {

namespace {

struct DebugFlags {
    sim::RunOptions options;
    std::string commands, script;
    bool json = false;
};

/// A debugger command and its source location.
struct SourcedCommand {
    std::string text;
    SourceLoc from;
};

std::vector<SourcedCommand> commands_of(const DebugFlags& flags) {
    std::vector<SourcedCommand> list;
    std::istringstream words(flags.commands);
    int number = 0;
    for (std::string one; std::getline(words, one, ';');) list.push_back({one, {"--commands", ++number, 0}});
    if (flags.script.empty()) return list;
    std::istringstream lines(read_file(flags.script, 1 << 20));
    number = 0;
    for (std::string line; std::getline(lines, line);) list.push_back({line, {flags.script, ++number, 0}});
    return list;
}

void print(const debug::Answer& answer, const std::string& command, bool as_json) {
    const bool nothing = answer.facts.empty() && answer.tables.empty() && answer.lines.empty();
    if (nothing) return;
    print_text(as_json ? debug::json(answer, command) : debug::text(answer, report_width()));
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Executes one command; returns whether it ends the debugger.
bool execute_command(debug::Debugger& debugger, const SourcedCommand& given, const DebugFlags& flags) {
    const std::string text = trimmed(given.text);
    try {
        const debug::Answer answer = debugger.execute(text);
        print(answer, text, flags.json);
        return answer.leave;
    } catch (const Error& error) {
        if (error.fault() != Fault::Input) throw;
        throw Error(Fault::Input, given.from, error.message().empty() ? error.what() : error.message());
    }
}

/// Reads and executes commands from a prompt; a wrong command is reported, and the next is read.
void run_prompt(debug::Debugger& debugger, const DebugFlags& flags) {
    const Completions completions = [&](const std::string& line) { return debugger.completions(line); };
    for (int number = 1;; ++number) {
        const std::optional<std::string> line = read_line(debugger.prompt(), completions);
        if (!line) return;
        std::istringstream commands(*line);
        const StopSignals signals;  // Ctrl-C stops the run, not the debugger
        debugger.stop_by(StopSignals::caught());
        try {
            for (std::string one; std::getline(commands, one, ';');)
                if (execute_command(debugger, {one, {"", number, 0}}, flags)) return;
        } catch (const Error& error) {
            if (error.fault() == Fault::Internal) throw;
            fmt::print(stderr, "{}\n", painted_message("error: " + error.message()));
        }
    }
}

void run_commands(debug::Debugger& debugger, const DebugFlags& flags) {
    const bool given = !flags.commands.empty() || !flags.script.empty();
    if (!given) return run_prompt(debugger, flags);
    for (const SourcedCommand& command : commands_of(flags))
        if (execute_command(debugger, command, flags)) return;
}

void debug_netlist(const DebugFlags& flags, const sim::RunOptions& options) {
    debug::Debugger debugger(options);
    run_commands(debugger, flags);
}

void run(DebugFlags& flags) {
    const sim::RunOptions& options = flags.options;
    const InputKind kind = kind_of(options.netlist);
    if (kind == InputKind::Trace) {
        debug::Debugger debugger(options.netlist);
        return run_commands(debugger, flags);
    }
    if (kind != InputKind::CompiledModel && kind != InputKind::Image) {
        require_kind(InputKind::Netlist, options.netlist, "ttsim debug");
        return debug_netlist(flags, options);
    }
    // host steps run as usual; only the device run is controlled by the debugger
    (void)run_compiled({}, options, [&flags](const sim::RunOptions& device) {
        debug_netlist(flags, device);
        return sim::RunReport{};
    });
}

}  // namespace

void add_debug(CLI::App& app) {
    auto flags = std::make_shared<DebugFlags>();
    CLI::App* command = app.add_subcommand("debug", "Stop a run at chosen points and inspect the machine");
    add_netlist(*command, flags->options.netlist, true);
    add_debug_options(*command, {flags->options});
    command->get_option("netlist")->description(
        "Netlist (YAML), device image, folder of a compiled model, or trace (offline: only what it recorded)");
    CLI::Option* commands =
        command->add_option("--commands", flags->commands, "Commands to execute instead of a prompt, separated by ';'")
            ->type_name("\"A; B\"");
    command->add_option("--script", flags->script, "File of commands, one per line; '#' begins a comment")
        ->check(existing_file())
        ->excludes(commands)
        ->type_name("FILE");
    command->add_flag("--json", flags->json, "Print answers as JSON, one object per line");
    command->footer(
        "The run is stopped at cycle 0. 'continue' runs to the next stop or the end, 'help' lists the commands.\n"
        "Short names are those of DeBUDA: om, d, q, dq, hq, eq, b, p, s, t, ha, srs, cdr, brxy, x.\n\n"
        "Exit codes: 0 success, 2 a wrong command or input, 70 a bug in ttsim, 71 out of memory\n\n"
        "Examples:\n"
        "  ttsim debug examples/bert_encoder.yaml\n"
        "  ttsim debug encoder.yaml --commands \"stop input gelu 1; continue; core gelu; queues\"\n"
        "  ttsim debug encoder.yaml --commands \"continue; waits\" --json\n"
        "  ttsim debug encoder.ttperf --commands \"map; epochs; links dram\"");
    command->callback([flags] { run(*flags); });
}

}  // namespace ttsim::impl::cli
