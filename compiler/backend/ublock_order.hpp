// In which order ops give their micro-blocks, and queues hold them: by rows, or by columns where that lets readers of
// the same epoch begin earlier.
//
// A product of several steps takes its first operand by columns (its inner dimension) and its second by rows; a maximum
// along a row by columns. Elementwise ops give what they take in the order in which they take it, so what they are
// linked by has one order; a transpose turns it over. Where readers differ, rows win. Products and maxima give by rows,
// which hides nothing: their result is whole at once.
#pragma once

#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

/// Sets the order of every op of the schedule, whose epochs and routes are known, and of the queues the host fills:
/// by columns where all readers take them so. What streams have no room for by columns stays by rows.
void choose_ublock_orders(const Graph& graph, const OpBudget& budget, Schedule& schedule);

}  // namespace ttsim::impl::ir
