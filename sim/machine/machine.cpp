// run_machine: builds the SystemC modules for a run, plays the programs, reports.
#include <algorithm>
#include <optional>
#include <set>
#include <systemc>

#include "sim/machine/sequencer.hpp"
#include "sim/trace/recorder.hpp"
#include "sim/trace/stop_signals.hpp"

namespace tt::sim {

WaitChain wait_chain(const std::vector<const Waiter*>& unfinished) {
    if (unfinished.empty()) return {"nothing is waiting; no command could be issued", {}};
    WaitChain chain;
    std::set<const Waiter*> seen;
    const auto follow = [&](const Waiter* at, auto&& told) {
        for (; at && seen.insert(at).second; at = at->waits_for().owed_by) {
            const WaitsFor wait = at->waits_for();
            told(wait);
            if (wait.room &&
                std::find(chain.short_of.begin(), chain.short_of.end(), *wait.room) == chain.short_of.end())
                chain.short_of.push_back(*wait.room);
        }
        return at;
    };
    // A core that waits tells more than one that is done; a chain that closes on itself is the cause.
    const Waiter* const closed =
        follow(unfinished.front(), [&](const WaitsFor& wait) { chain.text += "\n  " + wait.text; });
    if (closed) chain.text += "\n  ... and so round: " + closed->waits_for().text;
    for (const Waiter* other : unfinished) follow(other, [](const WaitsFor&) {});
    return chain;
}

/// SystemC holds one simulation per process; every run gets a fresh one.
static void renew_systemc() {
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

namespace {

/// The trace of a run, when one is wanted: finished whatever the end of the run.
class Tracing {
public:
    explicit Tracing(RunState& state) : state_(state) {
        if (state.options.trace.file.empty()) return;
        recorder_.emplace(state);
        signals_.emplace();
    }
    Recorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }
    void complete(Cycle now) {
        if (!recorder_) return;
        try {
            recorder_->finish("complete", "", now);
        } catch (const Error& error) {
            state_.report.trace_failure = error;  // the report of the run is none the worse
        }
    }
    /// The error to throw instead of `error`: it also says what became of the trace.
    Error failed(const Error& error, Cycle now) {
        if (!recorder_) return error;
        const bool hang = error.fault() == Fault::Hang, stop = error.fault() == Fault::Interrupted;
        try {
            recorder_->finish(hang ? "hang" : stop ? "interrupted" : "failed", error.message(), now);
        } catch (const Error& lost) {
            return {error.fault(), fmt::format("{}\n{}", error.what(), lost.what())};
        }
        return {error.fault(), fmt::format("{}\n{}: holds what was done", error.what(), state_.options.trace.file)};
    }

private:
    RunState& state_;
    std::optional<Recorder> recorder_;
    std::optional<StopSignals> signals_;
};

}  // namespace

void run_machine(RunState& state) {
    renew_systemc();
    Clock clock("clock");
    Board board("board", state.machine, clock);
    Tracing tracing(state);
    if (Recorder* recorder = tracing.recorder()) board.trace(*recorder);
    Context context{state, board, clock.now(), false, tracing.recorder(), {}};
    Sequencer sequencer(context, EpochStream(state.netlist, state.calls, state.options.inputs_count));
    clock.set_between([&] { sequencer.between_cycles(); });
    sequencer.start();
    sc_core::sc_start();
    try {
        clock.failure().rethrow();
        if (!sequencer.finished()) {
            WaitChain chain = wait_chain(sequencer.unfinished());
            state.short_of = std::move(chain.short_of);
            throw Error(Fault::Hang, {state.netlist.file, 0, 0},
                        fmt::format("nothing can move at cycle {}:{}", clock.now(), chain.text));
        }
    } catch (const Error& error) {
        throw tracing.failed(error, clock.now());
    }
    tracing.complete(clock.now());
    state.pool.wait_all();
    state.report.cycles = clock.now();
}

}  // namespace tt::sim
