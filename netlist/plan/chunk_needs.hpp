// What every chunk of a pipe takes from which source: TM index maps, walked run by run.
#pragma once

#include "netlist/plan/plan.hpp"

namespace ttsim::impl {

/// The producing side of a pipe.
struct NeedSource {
    Blocking blocking;
    /// Ops: tiles packed after each step of a slice (cumulative); positions snap to these. Empty for queues.
    std::vector<std::int64_t> produced_after;
    std::int64_t ublocks_per_step = 1;
    std::int64_t slice_tiles = 0;
    std::int64_t block_tiles = 0;  ///< no need goes beyond one of these: tiles that are handed over at once
};
NeedSource op_source(const PlanOp& producer);
NeedSource queue_source(const Queue& queue);

/// What of a chunk leaves together: from a queue all of it, from an op what one source holds of it in one block.
struct Sending {
    std::uint32_t chunk = 0, first = 0, end = 0;  ///< needs first .. end - 1; none where all is padding
    std::uint32_t tiles = 0;                      ///< that arrive with it, padding included
    bool ends_chunk = false;
};
std::vector<Sending> sendings(const Pipe& pipe, bool from_queue);

/// Fills first_need, chunk_tiles and needs for all chunks of one input. `out`: blocking of the consuming op;
/// `ublocks_per_step`: its grouping of ublocks into steps.
void fill_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out,
                 std::int64_t ublocks_per_step, const NeedSource& source);

}  // namespace ttsim::impl
