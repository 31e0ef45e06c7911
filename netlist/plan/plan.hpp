// The work of every core of a temporal epoch as data: loop nests, buffers, pipes. Without SystemC; sim/ executes it.
// producer core's output buffer --needs--> Pipe (chunks in consumption order) --> operand buffer of its cores
// Positions in an output buffer count tiles in production order from the start of an input: slice by slice, ublock by
// ublock. The part of a chunk from a source may be sent once the source has produced `need` tiles; it then allows reuse
// of the space before `release`. OutputStreaming determines whether tiles are sent one by one or in blocks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/timing/kernel_timing.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"
#include "netlist/plan/output_streaming.hpp"
#include "netlist/plan/streams.hpp"
#include "netlist/plan/tm_map.hpp"
#include "netlist/program/queue_state.hpp"

namespace ttsim::impl {

/// The part of a chunk from one source: a core of the producing op (and one of the blocks that it sends at once), or a
/// buffer of a queue.
struct ChunkNeed {
    std::uint32_t source = 0;
    std::uint32_t tiles = 0;
    std::int32_t z_first = 0, z_last = 0;  ///< producer slices it uses
    std::int64_t need = 0, release = 0;    ///< tile positions, see above (ops only)
    std::uint32_t phases = 0;              ///< runs of contiguous tiles that begin in it (ops only)
};

/// A part of a chunk that is sent at once: from a queue the complete chunk, from an op the tiles of one source in one
/// block.
struct Sending {
    std::uint32_t chunk = 0, first = 0, end = 0;  ///< needs first .. end - 1; empty if all is padding
    std::uint32_t tiles = 0;                      ///< tiles that arrive with it, including padding
    bool ends_chunk = false;
    std::int64_t tiles_before = 0;  ///< in the same input
};

/// A pipe: transfers one operand to the cores that need the same tiles (one core: unicast, several: multicast).
struct Pipe {
    std::vector<TileRect> rects;             ///< the operand tiles, as OperandUse::rects
    std::vector<std::uint32_t> cores;        ///< indices in the consumer's core list
    std::vector<std::uint32_t> first_need;   ///< per chunk of an input, and one past the end
    std::vector<std::uint32_t> chunk_tiles;  ///< per chunk of an input
    std::vector<ChunkNeed> needs;
    std::vector<Sending> sendings;           ///< of an input
    std::vector<std::int64_t> tiles_before;  ///< per chunk of an input, and of all chunks
    std::size_t chunks() const { return chunk_tiles.size(); }
};

/// When a core consumes the chunks of an operand.
enum class Intake : std::uint8_t {
    PerStep,     ///< one chunk per step
    InTurn,      ///< as PlanOperand::iterations: by OpDef::passed, or with a k-block whose other operand comes in parts
    PerSlice,    ///< the slice's only chunk at the first step of an output slice, kept until its last
    SliceEnd,    ///< the slice's only chunk at the last step of an output slice
    WholeInput,  ///< everything before the first step of an input, kept until its last
    Strips,      ///< k-blocks one after the other, spread evenly over the steps of an input
    Resident,    ///< everything once per execute (prologue)
};

struct PlanOperand {
    explicit PlanOperand(TmMap map_) : map(std::move(map_)) {}

    int producer_op = -1;     ///< index in Plan::ops, or -1
    int producer_queue = -1;  ///< index in Plan::queues, or -1
    TmMap map;
    Intake intake = Intake::PerStep;
    bool whole_input = false;           ///< an output slice may use any slice of the operand
    std::int64_t slices = 1;            ///< operand slices per output slice
    std::int64_t operand_z = 1;         ///< slices of the complete operand
    std::int64_t chunks_per_slice = 1;  ///< chunks of one operand slice
    std::int64_t parts = 1;             ///< chunks of a k-block
    struct Iteration {
        std::int64_t needed = 0, passed = 0;  ///< chunks of the slice needed before the step, and consumed after it
    };
    std::vector<Iteration> iterations;  ///< Intake::InTurn, per step of a slice
    DataFormat df = DataFormat::Float16_b;
    TileDim tile;  ///< after transposes
    std::int64_t tile_bytes = 0;
    std::int64_t l1_tiles = 0;        ///< tiles of the operand buffer of each core, by the L1 space rules
    std::int64_t capacity_tiles = 0;  ///< capacity in the simulation: l1_tiles, or one chunk if that is larger
    std::int64_t input_chunks() const { return operand_z * chunks_per_slice; }
    /// Intake::Strips: chunks of an input needed for its first `done` of `steps` steps, and consumed by them. The
    /// picker of a convolution moves along the diagonal, and no k-block comes a second time.
    std::int64_t strips_needed(std::int64_t done, std::int64_t steps) const {
        return (done * input_chunks() + steps - 1) / steps;
    }
    std::int64_t strips_passed(std::int64_t done, std::int64_t steps) const { return done * input_chunks() / steps; }
    /// For a prologue operand that does not fit its buffer: tiles kept in L1 beside the buffer and sent for every
    /// input, and the contiguous runs among them per input.
    std::int64_t held_tiles = 0, held_runs = 0;
    std::int64_t credit_tiles = 1;  ///< tiles that must be free before the sender gets credits (from ops)
    QueueReads reads;               ///< from a queue in DRAM
    std::vector<Pipe> pipes;
    std::vector<std::uint32_t> pipe_of_core;  ///< per core of the op
};

struct PlanReader {
    int op = 0, operand = 0;
};

struct PlanOp {
    const Op* op = nullptr;
    const OpDef* def = nullptr;
    const Graph* graph = nullptr;
    std::int64_t chip = 0;
    bool ethernet = false;        ///< runs on Ethernet cores (ethernet_datacopy)
    std::vector<NocCoord> cores;  ///< row-major over the op's logical grid
    std::vector<PlanOperand> operands;
    std::int64_t slices = 1;  ///< output slices (t)
    std::int64_t steps_per_slice = 1;
    std::vector<std::int64_t> out_tiles;  ///< per step of a slice: tiles packed to the output buffer (0: spill only)
    std::int64_t push_tiles = 0;          ///< tiles that leave the packer at once; 0: all tiles of a step
    std::int64_t slice_tiles = 1;         ///< tiles of one output slice of one core (mblock)
    OutputStreaming output_streaming;     ///< how the output is sent to its readers
    std::int64_t capacity_tiles = 0;      ///< of the output buffer of each core
    bool packs_in_place = false;          ///< partial sums use the space of the result: the space of a complete slice
    std::int64_t out_tile_bytes = 0;
    std::vector<StepTime> step_times;                                  ///< per step of a slice
    std::vector<PlanReader> readers;                                   ///< operands that read the output buffers
    std::vector<int> out_queues;                                       ///< queues that receive the output
    std::int64_t input_tiles() const { return slices * slice_tiles; }  ///< produced per core and input
    std::int64_t input_steps() const { return slices * steps_per_slice; }
    bool takes_strips() const;  ///< any operand is Intake::Strips
    /// Tiles that get space and leave the packer together, of `tiles` remaining tiles of a step.
    std::int64_t pushed_at_once(std::int64_t tiles) const {
        return push_tiles > 0 ? std::min(push_tiles, tiles) : tiles;
    }
    std::vector<std::int64_t> pushed_tiles() const;  ///< for one slice, in order
};

struct PlanQueue {
    const Queue* queue = nullptr;
    int writer = -1;  ///< op that writes it in this epoch
    std::vector<PlanReader> readers;
};

struct Plan {
    std::vector<const Graph*> graphs;
    std::vector<PlanOp> ops;  ///< in topological order over all graphs of the epoch
    std::vector<PlanQueue> queues;
    std::vector<std::int64_t> chips;  ///< ascending
    int find_queue(const Queue* queue) const;
};

/// Ways in which ops take operands and send results. A study can leave each of them out.
struct PlanMechanisms {
    bool strips = true;  ///< sparse products take activations k-block by k-block; off: a whole input at once
    bool parts = true;   ///< products take a named operand in parts of k-blocks; off: in whole k-blocks
    bool pieces = true;  ///< products that are read in order pack the last k-block piece by piece; off: at once
    bool beside = true;  ///< NCRISC has a buffer beside the operand's where chunks do not fit it; off: never
};

/// Check: the plan is not executed. It has no times of steps, and of chunks that are sent only their tiles.
enum class PlanPurpose : std::uint8_t { Run, Check };

/// Throws Error(Input) if the epoch cannot run on the machine, e.g. if buffers do not fit in L1.
std::shared_ptr<const Plan> elaborate(const Netlist& netlist, const EpochLaunch& launch, const Machine& machine,
                                      const std::map<const Op*, SparseCounts>& sparse = {},
                                      PlanMechanisms mechanisms = {}, PlanPurpose purpose = PlanPurpose::Run);

/// Executes with the same key share a plan: the graphs, and which of their queues are in the prologue.
std::string plan_key(const EpochLaunch& launch);

/// The Plan as text, for `ttsim explain`.
std::string print_plan(const Plan& plan);

/// Position of a tile in the blocks of an op's output (cores) or of a queue (buffers).
struct BlockPlace {
    std::int64_t block = 0;     ///< core or buffer, row-major over the grid
    std::int64_t r = 0, c = 0;  ///< tile inside it
};
inline BlockPlace place_of(const Blocking& blocking, std::int64_t r, std::int64_t c) {
    const std::int64_t i = r / blocking.core_rt(), j = c / blocking.core_ct();
    return {i * blocking.grid_c + j, r % blocking.core_rt(), c % blocking.core_ct()};
}

}  // namespace ttsim::impl
