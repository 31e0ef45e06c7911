// What every chunk of a pipe takes from which source: TM index maps, walked run by run.
#pragma once

#include "netlist/plan/plan.hpp"

namespace tt {

/// The producing side of a pipe.
struct NeedSource {
    Blocking blocking;
    /// Ops: tiles packed after each step of a slice (cumulative); positions snap to these. Empty for queues.
    std::vector<std::int64_t> produced_after;
    std::int64_t ublocks_per_step = 1;
    std::int64_t slice_tiles = 0;
};
NeedSource op_source(const PlanOp& producer);
NeedSource queue_source(const Queue& queue);

/// Fills first_need, chunk_tiles and needs for all chunks of one input. `out`: blocking of the consuming op;
/// `ublocks_per_step`: its grouping of ublocks into steps.
void fill_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out,
                 std::int64_t ublocks_per_step, const NeedSource& source);

/// Most tiles of one core of the producer that must lie in its output buffer at once so that the pipes of an operand
/// can move, chunk by chunk together: a multicast of another operand may tie their cores.
std::int64_t widest_window(const std::vector<Pipe>& pipes, std::size_t sources);

}  // namespace tt
