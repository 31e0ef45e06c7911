// Read-only view of the SystemC machine between two cycles, for debugger and telemetry: the state of every core, pipe,
// writer, queue and link.
//
//   LiveMachine --view()--> MachineView --epochs(), cores(), flows(), queue(), links()--> plain values
//
// Pointers to plans, queues and ops are valid until the end of the run. Cycles are of the chips' clock, from the start
// of the run; tiles and chunks count from the start of the epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netlist/plan/plan.hpp"
#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

/// Activity of a core. When several apply, the last of this list.
enum class CoreActivity : std::uint8_t {
    Loading,          ///< the kernels of its epoch are loading
    Computing,        ///< unpack and math are busy
    Packing,          ///< only the packer is busy
    BlockedOnInput,   ///< blocked on input: waits for tiles of an operand
    BlockedOnOutput,  ///< waits for room in its output buffer
    Done              ///< all inputs of the launch are packed
};
const char* name_of(CoreActivity activity);  ///< "loading", "math", "pack", "operand", "room", "done"

struct OperandState {
    std::string source{};      ///< "queue 'x'", "op 'y'"
    std::int64_t arrived = 0;  ///< chunks since the start of the epoch
    std::int64_t needed = 0;   ///< chunks that the current or next step needs
    std::int64_t freed = 0;    ///< chunks whose buffer space was freed
};

/// Counters of a core with a probe; zeros without one.
struct CoreCounters {
    Cycle math = 0;  ///< cycles in which FPU or SFPU is busy
    Cycle math_bound = 0, unpack_bound = 0, wait_source = 0, wait_noc = 0, wait_dram = 0, wait_room = 0;
    Cycle wait_output = 0, wait_dst = 0, wait_pack = 0;
    std::int64_t steps = 0, tiles = 0;
};

struct CoreState {
    const PlanOp* op = nullptr;
    std::size_t core = 0;  ///< index in op->cores
    CoreActivity activity = CoreActivity::Loading;
    std::int64_t input = 0, inputs = 0;  ///< inputs: of the launch
    std::int64_t slice = 0, step = 0;    ///< of the current or next step
    Cycle since = 0;                     ///< of a blocked core: start of the wait
    Cycle until = 0;                     ///< of a computing core: when its next step may begin
    Cycle busy = 0, last_pack = 0;
    std::int64_t packed = 0, sendable = 0, released = 0;  ///< output tiles; sendable: that may be sent
    std::vector<OperandState> operands{};
    std::string waits{};  ///< reason of the wait, as in a wait-for chain; "" = not blocked
    CoreCounters counters{};
    NocCoord at() const { return op->cores[core]; }
};

struct FlowState {
    bool writer = false;                  ///< true: from a core to a queue; false: a pipe to an operand
    const PlanOp* op = nullptr;           ///< the consumer of a pipe, or the op of a writer
    std::size_t operand = 0;              ///< operand of the consumer
    std::string from{}, to{};             ///< "queue 'x'", "op 'y' operand 0"
    std::vector<std::size_t> cores{};     ///< receivers of a pipe, or the core of a writer: indices in op->cores
    std::int64_t sent = 0, total = 0;     ///< transfers (pipe) or pieces (writer) since the start of the epoch
    std::int64_t arrived = 0, freed = 0;  ///< chunks, or pieces; freed: by all receivers
    std::int64_t chunk_tiles = 0, tile_bytes = 0;
    std::int64_t held_tiles = 0, buffer_tiles = 0;  ///< reserved tiles of the receiver's buffer, and its size
    Cycle last_arrival = 0;
    std::string waits{};  ///< reason of the wait; "" = not blocked
};

/// State of a FIFO, with entries numbered by push. Of rams only `queue` is meaningful.
struct QueueState {
    const Queue* queue = nullptr;
    std::int64_t read = 0;      ///< entries below are popped
    std::int64_t written = 0;   ///< entries below are complete
    std::int64_t occupied = 0;  ///< slots with an entry that is complete or being written
    bool full = false;          ///< no slot is free for the next entry
};

struct EpochState {
    const Plan* plan = nullptr;
    std::string graphs{};     ///< "fwd_0,fwd_1"
    std::int64_t number = 0;  ///< in order of their start
    std::int64_t inputs = 0, over = 0;
    Cycle started = 0;
    double share = 0;  ///< finished fraction, by output tiles
};

struct LinkState {
    std::string kind{}, name{};  ///< "noc", "dram", "pcie", "ethernet"
    std::int64_t chip = 0;
    double bytes_per_cycle = 0;
    std::uint64_t transfers = 0, bytes = 0;
    Cycle busy = 0, queueing = 0;
};

class LiveMachine;

/// Valid between two calls of LiveMachine::advance().
class MachineView {
public:
    explicit MachineView(const LiveMachine& machine) : machine_(machine) {}
    Cycle now() const;
    const Netlist& netlist() const;
    const Machine& machine() const;          ///< the modelled chips
    std::vector<EpochState> epochs() const;  ///< in flight
    std::int64_t epochs_begun() const;
    /// Cores (flows) of one op, or of all ops in flight (nullptr).
    std::vector<CoreState> cores(const Op* op) const;
    std::vector<FlowState> flows(const Op* op) const;
    QueueState queue(const Queue& queue) const;
    std::vector<LinkState> links() const;          ///< links that carried data; needs a machine with a Watch
    Cycle math_of_ended(std::int64_t chip) const;  ///< FPU and SFPU cycles in epochs that have ended
    /// Inputs of an op over all launches of the run: begun by at least one of its cores; packed by all of them.
    std::int64_t inputs_begun(const Op& op) const;
    std::int64_t inputs_packed(const Op& op) const;
    /// The block of output slice `slice` (input * t + slice) of the launch in a core's output buffer; no value when it
    /// is not there.
    struct Values {
        std::vector<float> data;  ///< row-major
        std::int64_t rows = 0, cols = 0;
    };
    std::optional<Values> values(const Op& op, std::size_t core, std::int64_t slice) const;
    std::string waits() const;  ///< the wait-for chain

private:
    const LiveMachine& machine_;
};

}  // namespace ttsim::impl::sim
