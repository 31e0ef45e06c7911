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

/// Fills all but rects and cores for the chunks of one input. `out`: blocking of the consuming op;
/// `ublocks_per_step`: its ublocks per step.
void fill_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out,
                 std::int64_t ublocks_per_step, const NeedSource& source);

/// Fills only the tiles of chunks. `source`: the tiles of the producer.
void count_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out,
                  std::int64_t ublocks_per_step, const TileShape& source);

}  // namespace ttsim::impl
