// The debugger: commands on a stopped run, or on its trace.
//
//   Debugger debugger(options) | (trace file);  Answer answer = debugger.execute("queues x");
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/debug/answer.hpp"
#include "analysis/debug/stops.hpp"
#include "sim/watched_run.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::debug {

using Words = std::vector<std::string>;

class Debugger {
public:
    explicit Debugger(sim::RunOptions options);
    explicit Debugger(const std::string& trace);
    ~Debugger();

    /// Executes one command with arguments; an empty line has no effect. Throws Error(Input) with a suggestion of the
    /// nearest valid word.
    Answer execute(const std::string& line);
    /// Completions of the last word of `line`, for the TAB key.
    std::vector<std::string> completions(const std::string& line) const;
    std::string prompt() const;
    /// A nonzero value of `*signal` stops a running simulation; null: no signal.
    void stop_by(const std::atomic<int>* signal) { signal_ = signal; }

    // --- for the commands ---
    sim::WatchedRun& run() { return *run_; }
    trace::Reader& trace() { return *trace_; }
    bool offline() const { return trace_ != nullptr; }
    Stops& stops() { return stops_; }
    /// Advances the run to a stop, `until`, `deadline` or the end; the answer contains the reason.
    Answer continue_run(const std::function<bool()>& until, std::uint64_t deadline);
    /// Goes to the state after the events of that cycle: forward, or by repeating the run from the start.
    Answer go_to(std::uint64_t cycle);
    /// Repeats the run from the start up to the current cycle, with the checks of the current stops.
    void run_again();
    /// Current cycle and state of the run.
    Answer where() const;

private:
    void begin();

    sim::RunOptions options_;
    std::unique_ptr<sim::WatchedRun> run_;
    std::unique_ptr<trace::Reader> trace_;
    Stops stops_;
    const std::atomic<int>* signal_ = nullptr;
};

/// A command. `live` (on a run) or `offline` (on a trace) may be empty when not supported.
struct Command {
    std::string name;
    Words others;  ///< aliases, those of the original debugger first
    std::string arguments, what;
    std::function<Answer(Debugger&, const Words&)> live, offline;
    std::string why_not;  ///< reason why it is not applicable to a simulated chip
};
const std::vector<Command>& commands();

// --- tables of commands, one file each ---
void add_layout_commands(std::vector<Command>& to);  ///< map, device, epochs, buffer
void add_state_commands(std::vector<Command>& to);   ///< queues, flow, core, waits, links, counters
void add_value_commands(std::vector<Command>& to);   ///< tile, read
void add_run_commands(std::vector<Command>& to);     ///< continue, step, to, back, stop, help, ...

}  // namespace ttsim::impl::debug
