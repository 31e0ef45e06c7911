// run_machine: builds the SystemC modules for a run, plays the programs, reports.
#include <set>
#include <systemc>

#include "sim/machine/sequencer.hpp"

namespace tt::sim {

std::string wait_chain(const std::vector<const Waiter*>& unfinished) {
    if (unfinished.empty()) return "nothing is waiting; no command could be issued";
    // A core that waits tells more than one that is done; a chain that closes on itself is the cause.
    std::string text;
    std::set<const Waiter*> seen;
    const Waiter* at = unfinished.front();
    while (at && seen.insert(at).second) {
        const WaitsFor wait = at->waits_for();
        text += "\n  " + wait.text;
        at = wait.owed_by;
    }
    if (at) text += "\n  ... and so round: " + at->waits_for().text;
    return text;
}

/// SystemC holds one simulation per process; every run gets a fresh one.
static void renew_systemc() {
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

void run_machine(RunState& state) {
    renew_systemc();
    Clock clock("clock");
    Board board("board", state.machine, clock);
    Context context{state, board, clock.now(), false, {}};
    Sequencer sequencer(context, EpochStream(state.netlist, state.calls, state.options.inputs_count));
    clock.set_between([&] { sequencer.between_cycles(); });
    sequencer.start();
    sc_core::sc_start();
    clock.failure().rethrow();
    if (!sequencer.finished())
        throw Error(Fault::Hang, {state.netlist.file, 0, 0},
                    fmt::format("nothing can move at cycle {}:{}", clock.now(), wait_chain(sequencer.unfinished())));
    state.pool.wait_all();
    state.report.cycles = clock.now();
}

}  // namespace tt::sim
