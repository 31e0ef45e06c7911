// Uncertainty of the times of a run (isa/uncertainty.hpp).
#pragma once

#include <optional>

#include "isa/uncertainty.hpp"
#include "sim/state/report.hpp"

namespace ttsim::impl::report {

/// Of a graph's cycles as a share: its slowest op decides for the time in which it is busy, its pipes for the rest.
/// nullopt: nothing of the chip was measured, or the run has no clock.
std::optional<double> graph_uncertainty(const std::optional<Uncertainty>& table, const sim::GraphReport& graph);

/// Of the cycles of the run: the mean of its graphs by their cycles.
std::optional<double> run_uncertainty(const std::optional<Uncertainty>& table, const sim::RunReport& report);

/// " (+- 6 %)", or "" if it is unknown.
std::string plus_minus(const std::optional<double>& share);

}  // namespace ttsim::impl::report
