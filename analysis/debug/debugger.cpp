#include "analysis/debug/debugger.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "analysis/debug/arguments.hpp"
#include "base/text.hpp"
#include "sim/state/engine.hpp"

namespace ttsim::impl::debug {

static std::vector<Command> all_commands() {
    std::vector<Command> list;
    add_run_commands(list);
    add_layout_commands(list);
    add_state_commands(list);
    add_value_commands(list);
    return list;
}

const std::vector<Command>& commands() {
    static const std::vector<Command> list = all_commands();
    return list;
}

static Words split(const std::string& line) {
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

static Words command_names() {
    Words names;
    for (const Command& command : commands()) {
        names.push_back(command.name);
        names.insert(names.end(), command.others.begin(), command.others.end());
    }
    return names;
}

static const Command& find_command(const std::string& name) {
    for (const Command& command : commands())
        if (command.name == name ||
            std::find(command.others.begin(), command.others.end(), name) != command.others.end())
            return command;
    fail_input({}, "{}: there is no such command{} ('help' lists them)", name, did_you_mean(name, command_names()));
}

Debugger::Debugger(sim::RunOptions options) : options_(std::move(options)) { begin(); }
Debugger::Debugger(const std::string& trace) : trace_(std::make_unique<trace::Reader>(trace)) {}
Debugger::~Debugger() = default;

void Debugger::begin() {
    run_.reset();  // only one machine in memory at a time
    run_ = std::make_unique<sim::WatchedRun>(options_, stops_.checks());
}

Answer Debugger::execute(const std::string& line) {
    const Words words = split(line);
    if (words.empty() || words.front().starts_with('#')) return {};
    const Command& command = find_command(words.front());
    if (!command.why_not.empty()) fail_input({}, "{}: not applicable: {}", words.front(), command.why_not);
    const auto& act = offline() ? command.offline : command.live;
    if (!act)
        fail_input({}, "{}: not available for a trace; use 'ttsim debug NETLIST', which runs the netlist",
                   words.front());
    return act(*this, {words.begin() + 1, words.end()});
}

std::vector<std::string> Debugger::completions(const std::string& line) const {
    const Words words = split(line);
    const bool fresh = line.empty() || line.back() == ' ';
    const std::string begun = fresh || words.empty() ? "" : words.back();
    Words known;
    if (words.empty() || (words.size() == 1 && !fresh)) {
        for (const Command& command : commands())
            if (command.why_not.empty()) known.push_back(command.name);
    } else if (run_) {
        for (const Queue& queue : run_->netlist().queues) known.push_back(queue.name);
        for (const Graph& graph : run_->netlist().graphs)
            for (const Op& op : graph.ops) known.push_back(op.name());
        if (words.front() == "stop") known.insert(known.end(), {"cycle", "input", "full", "nan", "golden"});
    }
    std::erase_if(known, [&](const std::string& word) { return !word.starts_with(begun); });
    return known;
}

std::string Debugger::prompt() const {
    if (offline()) return "(trace) ";
    return fmt::format("({}) ", run_->view().now());
}

Answer Debugger::where() const {
    Answer answer;
    answer.facts["cycle"] = run_->view().now();
    const sim::WatchedRun::State state = run_->state();
    answer.facts["state"] = state == sim::WatchedRun::State::Finished ? "over"
                            : state == sim::WatchedRun::State::Hangs  ? "hangs"
                                                                      : "stopped";
    return answer;
}

Answer Debugger::continue_run(const std::function<bool()>& until, std::uint64_t deadline) {
    std::string why;
    stops_.arm(*run_);
    const std::uint64_t from = run_->view().now(), stop_cycle = stops_.next_cycle(from);
    const bool held = run_->advance(
        [&] {
            why = stops_.reached(*run_);
            if (why.empty() && signal_ && signal_->load(std::memory_order_relaxed) != 0) why = "a signal";
            return !why.empty() || until();
        },
        std::min(deadline, stop_cycle));
    Answer answer = where();
    const bool going = run_->state() == sim::WatchedRun::State::Running;
    if (why.empty() && going && !held && stop_cycle <= deadline) why = fmt::format("cycle {}", stop_cycle);
    if (!why.empty()) answer.facts["stopped_by"] = why;
    if (run_->state() == sim::WatchedRun::State::Hangs)
        answer.lines.push_back("the run hangs; 'waits' shows the wait-for chain");
    return answer;
}

Answer Debugger::go_to(std::uint64_t cycle) {
    if (cycle < run_->view().now() || run_->state() != sim::WatchedRun::State::Running) begin();
    stops_.arm(*run_);
    (void)run_->advance([] { return false; }, cycle);
    stops_.arm(*run_);
    return where();
}

void Debugger::run_again() {
    const std::uint64_t now = run_->view().now();
    begin();
    (void)run_->advance([] { return false; }, now);
}

}  // namespace ttsim::impl::debug
