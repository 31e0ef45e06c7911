// Between the ops of one epoch: directly, with a buffer long enough, or through a queue in DRAM.
#pragma once

#include "compiler/backend/schedule.hpp"

namespace tt::ir {

/// Sets buf_size_mb and through_dram of the ops first .. end - 1 of one epoch. Where paths of different length meet
/// again, the shorter one must hold what is under way on the longer; where L1 has no room for that, DRAM does.
void route(const Graph& graph, Schedule& schedule, std::size_t first, std::size_t end, const OpBudget& budget);

}  // namespace tt::ir
