// The debugger: commands on a run that stands still, or on its trace.
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

    /// One command with its arguments; an empty line is none. Throws Error(Input) with what is wrong, and the nearest
    /// right word.
    Answer execute(const std::string& line);
    /// What could stand in place of the last word of `line`, for the TAB key.
    std::vector<std::string> completions(const std::string& line) const;
    std::string prompt() const;
    /// Something else than 0 there stops a run that goes on; null: nothing does.
    void stop_by(const std::atomic<int>* signal) { signal_ = signal; }

    // --- for the commands ---
    sim::WatchedRun& run() { return *run_; }
    trace::Reader& trace() { return *trace_; }
    bool offline() const { return trace_ != nullptr; }
    Stops& stops() { return stops_; }
    /// On until a stop, `until`, `deadline`, or the end; the answer says which.
    Answer go_on(const std::function<bool()>& until, std::uint64_t deadline);
    /// To the state after the events of that cycle: on, or from the start again.
    Answer go_to(std::uint64_t cycle);
    /// The same run from the start again, up to the present cycle, with what the stops look for now.
    void run_again();
    /// Where the run stands: cycle, state.
    Answer where() const;

private:
    void begin();

    sim::RunOptions options_;
    std::unique_ptr<sim::WatchedRun> run_;
    std::unique_ptr<trace::Reader> trace_;
    Stops stops_;
    const std::atomic<int>* signal_ = nullptr;
};

/// A command. `live` or `offline` may be empty: then it says why not.
struct Command {
    std::string name;
    Words others;  ///< short names, those of the original first
    std::string arguments, what;
    std::function<Answer(Debugger&, const Words&)> live, offline;
    std::string why_not;  ///< of what makes no sense on a simulated chip
};
const std::vector<Command>& commands();

// --- tables of commands, one file each ---
void add_layout_commands(std::vector<Command>& to);  ///< map, device, epochs, buffer
void add_state_commands(std::vector<Command>& to);   ///< queues, flow, core, waits, links, counters
void add_value_commands(std::vector<Command>& to);   ///< tile, read
void add_run_commands(std::vector<Command>& to);     ///< continue, step, to, back, stop, help, ...

}  // namespace ttsim::impl::debug
