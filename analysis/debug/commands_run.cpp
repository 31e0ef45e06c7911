// Commands that advance the run, set stops, and print help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/debug/arguments.hpp"
#include "base/text.hpp"
#include "sim/state/engine.hpp"

namespace ttsim::impl::debug {

namespace {

Answer continue_run(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "continue");
    return debugger.continue_run([] { return false; }, sim::no_deadline);
}

Answer step(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "step [N]");
    std::int64_t left = words.empty() ? 1 : number(words[0], "number of steps");
    if (left == 0) return debugger.where();
    return debugger.continue_run([&left] { return --left == 0; }, sim::no_deadline);
}

Answer to(Debugger& debugger, const Words& words) {
    expect(words, 1, 1, "to CYCLE");
    const auto cycle = static_cast<std::uint64_t>(number(words[0], "cycle"));
    if (cycle < debugger.run().view().now()) return debugger.go_to(cycle);
    return debugger.continue_run([] { return false; }, cycle);
}

Answer back(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "back [CYCLES]");
    const auto cycles = static_cast<std::uint64_t>(words.empty() ? 1 : number(words[0], "number of cycles"));
    const std::uint64_t now = debugger.run().view().now();
    return debugger.go_to(now > cycles ? now - cycles : 0);
}

Answer restart(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "restart");
    return debugger.go_to(0);
}

Answer list_stops(Debugger& debugger) {
    Rows rows{"stops", {"stop", "when"}};
    for (const Stop& stop : debugger.stops().all()) rows.add({stop.id, stop.text()});
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

constexpr const char* stop_usage = "stop [cycle N | input OP N | full QUEUE | nan [OP] | golden [OP]]";

Stop parse_stop(Debugger& debugger, const Words& words) {
    const Netlist& netlist = debugger.run().netlist();
    const std::string& kind = words[0];
    Stop stop;
    if (kind == "cycle") {
        expect(words, 2, 2, "stop cycle N");
        stop.number = number(words[1], "cycle");
    } else if (kind == "input") {
        expect(words, 2, 3, "stop input OP [N]");
        stop.kind = Stop::Kind::Input;
        stop.name = find_op(netlist, words[1]).name();
        stop.number = words.size() > 2 ? number(words[2], "input") : 0;
    } else if (kind == "full") {
        expect(words, 2, 2, "stop full QUEUE");
        const Queue& queue = find_queue(netlist, words[1]);
        if (queue.type == QueueType::Ram)
            fail_input({}, "'{}' is a ram, which has no pointers and is never full", words[1]);
        stop.kind = Stop::Kind::Full;
        stop.name = words[1];
    } else if (kind == "nan" || kind == "golden") {
        expect(words, 1, 2, "stop " + kind + " [OP]");
        stop.kind = kind == "nan" ? Stop::Kind::Nan : Stop::Kind::Golden;
        stop.name = words.size() > 1 ? find_op(netlist, words[1]).name() : "*";
        if (!debugger.run().values())
            fail_input({}, "timing mode computes no values; 'ttsim debug NETLIST --mode full' does");
    } else {
        fail_input({}, "'{}' is not a kind of stop{}; usage: {}", kind,
                   did_you_mean(kind, {"cycle", "input", "full", "nan", "golden"}), stop_usage);
    }
    return stop;
}

Answer stop(Debugger& debugger, const Words& words) {
    if (words.empty()) return list_stops(debugger);
    Stop wanted = parse_stop(debugger, words);
    const bool values = wanted.kind == Stop::Kind::Nan || wanted.kind == Stop::Kind::Golden;
    const std::int64_t id = debugger.stops().add(std::move(wanted));
    if (values) debugger.run_again();  // repeats the run so that it records results of ops
    debugger.stops().arm(debugger.run());
    Answer answer;
    answer.facts["stop"] = id;
    answer.facts["when"] = debugger.stops().all().back().text();
    return answer;
}

Answer remove(Debugger& debugger, const Words& words) {
    expect(words, 1, 1, "delete STOP");
    const std::int64_t id = number(words[0], "number of a stop");
    if (!debugger.stops().remove(id)) fail_input({}, "there is no stop {}; 'stop' lists them", id);
    return list_stops(debugger);
}

Answer help(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "help [COMMAND]");
    Rows rows{"commands", {"command", "arguments", "short", "does"}};
    rows.wraps = true;
    Words known;
    for (const Command& command : commands()) {
        known.push_back(command.name);
        const bool wanted = words.empty() || command.name == words[0] ||
                            std::find(command.others.begin(), command.others.end(), words[0]) != command.others.end();
        if (!wanted || (words.empty() && (!command.why_not.empty() || (debugger.offline() && !command.offline))))
            continue;
        rows.add({command.name, command.arguments, fmt::format("{}", fmt::join(command.others, " ")),
                  command.why_not.empty() ? command.what : "not applicable: " + command.why_not});
    }
    if (rows.rows.empty()) fail_input({}, "there is no command '{}'{}", words[0], did_you_mean(words[0], known));
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

Answer where(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "where");
    if (!debugger.offline()) return debugger.where();
    const trace::RunInfo& run = debugger.trace().run();
    Answer answer;
    answer.facts = {{"trace", debugger.trace().path()},
                    {"netlist", run.netlist},
                    {"device", run.device},
                    {"mode", run.mode},
                    {"cycles", run.cycles},
                    {"status", run.status}};
    if (!run.message.empty()) answer.facts["message"] = run.message;
    return answer;
}

Answer leave(Debugger&, const Words& words) {
    expect(words, 0, 0, "quit");
    Answer answer;
    answer.leave = true;
    return answer;
}

}  // namespace

void add_run_commands(std::vector<Command>& to_list) {
    to_list.push_back({"continue", {"c", "run"}, "", "continues to the next stop or the end", continue_run, {}, ""});
    to_list.push_back({"step", {"si"}, "[N]", "advances by N instants with events", step, {}, ""});
    to_list.push_back({"to", {"go"}, "CYCLE", "goes to a cycle, forward or back", to, {}, ""});
    to_list.push_back(
        {"back", {}, "[CYCLES]", "goes back by CYCLES; the run is repeated from the start", back, {}, ""});
    to_list.push_back({"restart", {}, "", "goes back to cycle 0", restart, {}, ""});
    to_list.push_back({"stop",
                       {"break"},
                       "[KIND ...]",
                       "sets a stop, or lists them: cycle N, input OP [N], full QUEUE, "
                       "nan [OP], golden [OP]",
                       stop,
                       {},
                       ""});
    to_list.push_back({"delete", {}, "STOP", "deletes a stop", remove, {}, ""});
    to_list.push_back({"where", {}, "", "cycle and state of the run", where, where, ""});
    to_list.push_back({"help", {"h"}, "[COMMAND]", "describes commands", help, help, ""});
    to_list.push_back({"quit", {"x", "exit"}, "", "ends the debugger", leave, leave, ""});
    const std::string no_riscv =
        "cores of the model have no RISC-V processors and no firmware; 'core' shows what they do";
    for (const char* name : {"gpr", "riscv", "gdb", "run-elf"})
        to_list.push_back({name, std::string(name) == "riscv" ? Words{"rv"} : Words{}, "", "", {}, {}, no_riscv});
    const std::string no_firmware = "the model's L1 holds no firmware or binaries; 'core' and 'flow' show their state";
    for (const char* name : {"info", "info-blob", "ddb", "bcc"})
        to_list.push_back({name, {}, "", "", {}, {}, no_firmware});
    const std::string no_device = "there is no device to write to: a change would make it a different run";
    for (const char* name : {"wxy", "pcir", "pciw"}) to_list.push_back({name, {}, "", "", {}, {}, no_device});
}

}  // namespace ttsim::impl::debug
