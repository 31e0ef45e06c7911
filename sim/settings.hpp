// How a netlist shall be executed, whatever asks for it: the settings that the machine and the engines look at.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/formats/numerics.hpp"
#include "netlist/netlist.hpp"
#include "sim/machine/idealized_resources.hpp"

namespace ttsim::impl::sim {

class MachineView;

enum class Mode : std::uint8_t { Full, Timing, Functional };

/// --trace: a database of what the machine did, docs/trace.md. While the machine runs, SIGINT and SIGTERM end the run
/// with Fault::Interrupted, and the trace holds what was done.
struct TraceOptions {
    std::string file;              ///< "" = none
    int level = 1;                 ///< 1 = sums per core and input, 2 = also every step and transfer
    std::string command, version;  ///< as the trace shall show them
};

/// How far a run is.
struct RunProgress {
    std::string_view stage;           ///< what is being done: "simulating"
    double share = 0;                 ///< of the stage, 0..1
    std::int64_t inputs = 0, of = 0;  ///< over, and of the whole run; of = 0: the stage does not count them
    std::string_view next;            ///< the stage that follows; "" = none
};

/// What pipes between ops do on the chip; each can be left out, to see what it costs.
struct PipeMechanisms {
    bool blocks = true;    ///< an output that is not taken in order is handed over in whole blocks
    bool lockstep = true;  ///< all forks have sent a block before any sends the next
    bool firmware = true;  ///< blocks, phases and changes of partner take time
    bool credits = true;   ///< a sender hears of free space after a round trip
    bool kernels = true;   ///< steps of ops take time; without, a run shows what pipes alone take
};

struct MachineSettings {
    Mode mode = Mode::Full;
    Numerics numerics = Numerics::Real;
    unsigned threads = 0;                      ///< 0 = one per processor; never changes a result
    std::optional<std::int64_t> inputs_count;  ///< per graph at most
    bool extrapolate = true;                   ///< Timing mode skips what surely repeats; never changes a result
    PipeMechanisms pipes;
    IdealizedResources free;  ///< for studies
    TraceOptions trace;
    const std::atomic<int>* stop = nullptr;  ///< a signal's number there ends the run with Fault::Interrupted
    /// Called often, and from one thread; empty = quiet. What it throws ends the run.
    std::function<void(const RunProgress&)> progress;
    /// Called now and then while the machine runs, and at its start and end, from one thread; empty = nobody looks. Not
    /// together with a trace.
    std::function<void(const MachineView&)> telemetry;
    /// For tests of the checks: spoils a block that an op has computed, before anything reads it. Called from tasks.
    std::function<void(const Op& op, std::vector<float>& block)> fault;
};

}  // namespace ttsim::impl::sim
