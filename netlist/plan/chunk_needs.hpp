// The tiles that every chunk of a pipe needs from each source, from TM index maps evaluated by runs.
#pragma once

#include "netlist/plan/plan.hpp"

namespace ttsim::impl {

/// The producer of a pipe.
struct NeedSource {
    Blocking blocking;
    /// Ops: ends of the tiles of a slice that leave the packer together; needs are rounded to these positions. Empty
    /// for queues.
    std::vector<std::int64_t> produced_after;
    std::int64_t slice_tiles = 0;
    std::int64_t block_tiles = 0;  ///< needs do not cross these blocks, whose tiles are sent at once
};
NeedSource op_source(const PlanOp& producer);
NeedSource queue_source(const Queue& queue);

/// A part of a chunk that is sent at once: from a queue the complete chunk, from an op the tiles of one source in one
/// block.
struct Sending {
    std::uint32_t chunk = 0, first = 0, end = 0;  ///< needs first .. end - 1; empty if all is padding
    std::uint32_t tiles = 0;                      ///< tiles that arrive with it, including padding
    bool ends_chunk = false;
};
std::vector<Sending> sendings(const Pipe& pipe, bool from_queue);

/// Fills first_need, chunk_tiles and needs for all chunks of one input. `out`: blocking of the consuming op;
/// `ublocks_per_step`: its ublocks per step.
void fill_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out,
                 std::int64_t ublocks_per_step, const NeedSource& source);

}  // namespace ttsim::impl
