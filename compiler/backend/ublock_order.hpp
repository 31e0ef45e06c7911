// Chooses the order of ublocks in outputs and queues: by rows, or by columns if readers in the epoch can begin earlier.
//
// A product of several steps reads its first operand by columns (its inner dimension) and its second by rows; a maximum
// along a row reads by columns. Elementwise ops write in the order in which they read, so connected ops have one order;
// a transpose swaps it. If readers differ, the order is by rows. Products and maxima write by rows, which delays
// nothing because their results become complete at the same time.
#pragma once

#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

/// Sets the order of every op of a schedule with epochs and routes, and of queues that the host fills (by columns if
/// all readers read by columns). Orders that exceed the streams of a core stay by rows.
void choose_ublock_orders(const Graph& graph, const OpBudget& budget, Schedule& schedule);

}  // namespace ttsim::impl::ir
