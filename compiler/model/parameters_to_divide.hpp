// Chooses trained constants of which several parameters hold some rows each (passes/divided_parameters.hpp): those
// whose summed gradient fits on no grid.
#pragma once

#include <map>
#include <string>

#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

/// Adds to `known` the trained constants whose ops that sum gradients fit on no grid, with the parts that would fit.
std::map<std::string, std::int64_t> parameters_to_divide(const Graph& graph, const OpBudget& budget,
                                                         const ScheduleOptions& options,
                                                         const std::map<std::string, std::int64_t>& known);

}  // namespace ttsim::impl::ir
