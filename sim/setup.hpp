// From options to a netlist on a machine: reading, choosing the arch, validating, choosing parameters.
#pragma once

#include <memory>
#include <optional>

#include "netlist/files/manifest.hpp"
#include "sim/run_state.hpp"

namespace ttsim::impl::sim {

/// Everything a run needs before its first cycle. Heap-allocated: RunState refers to its neighbours.
struct Setup {
    RunOptions options;  ///< with what the manifest says
    Netlist netlist;     ///< resolved
    std::string arch;
    Machine machine;
    std::optional<Manifest> manifest;  ///< of --inputs
    std::unique_ptr<RunState> state;
    std::unique_ptr<ThreadPool> pool;  ///< ends first: its tasks refer to the state
};

/// A call of `program` with the parameters chosen for it; both are noted in the report. Throws Error(Input) for a name
/// the netlist does not have.
ProgramCall make_call(const Netlist& netlist, const std::string& program,
                      const std::map<std::string, std::int64_t>& params, RunReport& report);

/// The highest chip that the netlist names, + 1.
std::int64_t chips_named(const Netlist& netlist);

/// Throws Error(Input): functional mode has no clock, so nothing to trace.
void refuse_trace_without_clock(const MachineSettings& settings);

/// Throws Error with all that keeps the netlist from running on the machine.
void check_on(const Netlist& netlist, const Machine& machine);

/// Throws Error with all problems of the first arch when the netlist runs on none of those it lists.
/// `amend` changes the netlist after it is resolved.
std::unique_ptr<Setup> set_up(const RunOptions& options, const std::function<void(Netlist&)>& amend = {});

/// What the host will push: of --inputs, of host_values, or made up. For runs with values.
void fill_host(Setup& setup);

}  // namespace ttsim::impl::sim
