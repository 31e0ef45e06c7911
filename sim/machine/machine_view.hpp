// The state of the SystemC machine between two cycles, for whoever watches it: what every core, pipe, writer, queue and
// link does at this moment. Nothing here changes anything.
//
//   LiveMachine --view()--> MachineView --epochs(), cores(), flows(), queue(), links()--> plain values
//
// Plans, queues and ops that values point to live as long as the run. Cycles are of the chips' clock, from the start of
// the run; tiles and chunks count from the start of the epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netlist/plan/plan.hpp"
#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

/// What a core is at. The later of these that holds.
enum class CoreActivity : std::uint8_t {
    Loading,    ///< its epoch's kernels are on their way
    Computing,  ///< unpacks and does math
    Packing,    ///< only its packer works
    NoOperand,  ///< waits for tiles of an operand
    NoRoom,     ///< waits for room in its output buffer
    Done        ///< all inputs of the launch are packed
};
const char* name_of(CoreActivity activity);  ///< "loading", "math", "pack", "operand", "room", "done"

struct OperandState {
    std::string source{};      ///< "queue 'x'", "op 'y'"
    std::int64_t arrived = 0;  ///< chunks since the start of the epoch
    std::int64_t needed = 0;   ///< of them for the step that is next, or under way
    std::int64_t freed = 0;    ///< chunks whose space is free again
};

/// What the machine knows of a core with a probe; zeros without.
struct CoreCounters {
    Cycle math = 0;  ///< cycles in which FPU or SFPU work
    Cycle math_bound = 0, unpack_bound = 0, wait_source = 0, wait_noc = 0, wait_dram = 0, wait_room = 0;
    Cycle wait_output = 0, wait_dst = 0, wait_pack = 0;
    std::int64_t steps = 0, tiles = 0;
};

struct CoreState {
    const PlanOp* op = nullptr;
    std::size_t core = 0;  ///< place in op->cores
    CoreActivity activity = CoreActivity::Loading;
    std::int64_t input = 0, inputs = 0;  ///< of the launch
    std::int64_t slice = 0, step = 0;    ///< of the step that is next, or under way
    Cycle since = 0;                     ///< of one that waits: since when
    Cycle until = 0;                     ///< of one that computes: when its next step may begin
    Cycle busy = 0, last_pack = 0;
    std::int64_t packed = 0, sendable = 0, released = 0;  ///< output tiles; sendable: that may leave
    std::vector<OperandState> operands{};
    std::string waits{};  ///< what for, as in the chain of a hang; "" = it works
    CoreCounters counters{};
    NocCoord at() const { return op->cores[core]; }
};

struct FlowState {
    bool writer = false;                  ///< from a core to a queue; else a pipe to an operand
    const PlanOp* op = nullptr;           ///< the consumer, or the op that is written out
    std::size_t operand = 0;              ///< of the consumer
    std::string from{}, to{};             ///< "queue 'x'", "op 'y' operand 0"
    std::vector<std::size_t> cores{};     ///< receivers, or the one that writes, as places in op->cores
    std::int64_t sent = 0, total = 0;     ///< sendings or pieces since the start of the epoch
    std::int64_t arrived = 0, freed = 0;  ///< chunks, or pieces; freed: by all receivers
    std::int64_t chunk_tiles = 0, tile_bytes = 0;
    std::int64_t held_tiles = 0, buffer_tiles = 0;  ///< reserved of the receiver's buffer, and its size
    Cycle last_arrival = 0;
    std::string waits{};  ///< "" = it moves or is done
};

/// FIFO entries by push number; of rams only what they are.
struct QueueState {
    const Queue* queue = nullptr;
    std::int64_t read = 0;     ///< entries below are popped
    std::int64_t written = 0;  ///< entries below are complete
    std::int64_t taken = 0;    ///< slots with an entry, or one that is being written
    bool full = false;         ///< the next entry finds no slot
};

struct EpochState {
    const Plan* plan = nullptr;
    std::string graphs{};     ///< "fwd_0,fwd_1"
    std::int64_t number = 0;  ///< in order of their start
    std::int64_t inputs = 0, over = 0;
    Cycle started = 0;
    double share = 0;  ///< of its output tiles
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
    const Machine& machine() const;          ///< the chips it stands for
    std::vector<EpochState> epochs() const;  ///< in flight
    std::int64_t epochs_begun() const;
    /// Of one op, or of all in flight (nullptr).
    std::vector<CoreState> cores(const Op* op) const;
    std::vector<FlowState> flows(const Op* op) const;
    QueueState queue(const Queue& queue) const;
    std::vector<LinkState> links() const;          ///< that carried something; needs a machine that is watched
    Cycle math_of_ended(std::int64_t chip) const;  ///< cycles of FPU or SFPU in epochs that are over
    /// Inputs of an op that a core of it has begun, or that all its cores have packed, over all launches of the run.
    std::int64_t inputs_begun(const Op& op) const;
    std::int64_t inputs_packed(const Op& op) const;
    /// The block that a core holds of output slice `slice` (input * t + slice) of its launch; null: not any more, or
    /// not yet.
    struct Values {
        std::vector<float> data;  ///< row by row
        std::int64_t rows = 0, cols = 0;
    };
    std::optional<Values> values(const Op& op, std::size_t core, std::int64_t slice) const;
    std::string waits() const;  ///< the chain: who waits for whom

private:
    const LiveMachine& machine_;
};

}  // namespace ttsim::impl::sim
