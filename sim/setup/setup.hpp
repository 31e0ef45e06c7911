// Prepares a run from its options: reads and validates the netlist, chooses architecture and parameters.
#pragma once

#include <memory>
#include <optional>

#include "netlist/files/manifest.hpp"
#include "sim/settings/run_options.hpp"
#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

/// Everything a run needs before its first cycle. Allocated on the heap because RunState refers to the other members.
struct Setup {
    RunOptions options;  ///< completed from the manifest
    Netlist netlist;     ///< resolved
    std::string arch;
    Machine machine;
    std::optional<Manifest> manifest;  ///< of --inputs
    std::unique_ptr<RunState> state;
    std::unique_ptr<ThreadPool> pool;  ///< destroyed first: its tasks refer to the state
};

/// A call of `program` with its chosen parameters, which are added to the report. Throws Error(Input) for an unknown
/// program.
ProgramCall make_call(const Netlist& netlist, const std::string& program,
                      const std::map<std::string, std::int64_t>& params, RunReport& report);

/// The highest chip id in the netlist, + 1.
std::int64_t chips_named(const Netlist& netlist);

/// Throws Error(Input) when a trace is requested in functional mode, which has no clock.
void refuse_trace_without_clock(const MachineSettings& settings);

/// Sets the netlist's chip (set_chip()), and throws Error with all problems of the netlist on this machine.
void check_on(Netlist& netlist, const Machine& machine);

/// Throws Error when the netlist runs on none of its architectures, with the problems of the one that has the fewest.
/// `amend` changes the netlist after it is resolved.
std::unique_ptr<Setup> set_up(const RunOptions& options, const std::function<void(Netlist&)>& amend = {});

/// Fills the host inputs from --inputs, host_values or the stimulus. For runs with values.
void fill_host(Setup& setup);

}  // namespace ttsim::impl::sim
