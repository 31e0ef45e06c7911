// Execution settings that the machine and the engines read, independent of the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generated/machine_values.hpp"
#include "kernels/formats/numerics.hpp"
#include "netlist/netlist.hpp"
#include "netlist/plan/plan.hpp"
#include "sim/settings/idealized_resources.hpp"
#include "sim/settings/mode.hpp"

namespace ttsim::impl::sim {

class MachineView;

/// --trace: a database of the machine's activity (docs/trace.md). While the machine runs, SIGINT and SIGTERM end the
/// run with Fault::Interrupted; the trace is then written up to that point.
struct TraceOptions : TraceValues {
    std::string command, version;  ///< text that the trace records
};

/// Progress of a run.
struct RunProgress {
    std::string_view stage;  ///< name of the current stage: "simulating"
    double share = 0;        ///< finished fraction of the stage, 0..1
    std::int64_t inputs = 0,
                 of = 0;    ///< finished inputs, and inputs of the whole run; of = 0: the stage does not count inputs
    std::string_view next;  ///< name of the next stage; "" = none
};

/// Mechanisms of pipes between ops. Each can be switched off to measure its cost.
struct PipeMechanisms : PlanMechanisms {
    bool blocks = true;    ///< an output that is read out of order is sent in whole blocks
    bool lockstep = true;  ///< all forks send a block before any fork sends the next
    bool firmware = true;  ///< firmware time of blocks, phases and changes of sender
    bool credits = true;   ///< a sender receives credits for free space after a round trip
    bool nocs = true;      ///< software's choice of NoC; off: NoC 0, for tiles written to DRAM NoC 1
    bool relays = true;  ///< the core of a multicast gets the data and sends them on; off: sources multicast themselves
    bool kernels = true;  ///< steps of ops take time; off: the run measures pipes alone
};

struct MachineSettings : MachineValues {
    PipeMechanisms pipes;
    PlanPurpose plans = PlanPurpose::Run;
    IdealizedResources idealized;  ///< for what-if runs
    TraceOptions trace;
    const std::atomic<int>* stop = nullptr;  ///< a signal number stored there ends the run with Fault::Interrupted
    /// Called often, always from one thread; empty = no progress reports. An exception from it ends the run.
    std::function<void(const RunProgress&)> progress;
    /// Called at the start, at the end and about every 100 ms of a machine run, from one thread; empty = no telemetry.
    /// Cannot be combined with a trace.
    std::function<void(const MachineView&)> telemetry;
    /// For tests of the checks: corrupts a block that an op has computed, before it is read. Called from pool tasks.
    std::function<void(const Op& op, std::vector<float>& block)> fault;
};

}  // namespace ttsim::impl::sim
