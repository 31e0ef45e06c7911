// What a run says: a value that the simulator fills in, as tables for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "sim/run.hpp"

namespace ttsim::impl::report {

/// Cycles are of the chip's clock. A figure has one name in every report: inputs_per_second (steady),
/// end_to_end_per_second, latency_cycles, load_cycles.
using RunReport = sim::RunReport;

/// Tables of every graph and output queue, no wider than `width`, then totals, parameters and notes.
std::string text(const RunReport& report, std::optional<std::size_t> width = std::nullopt);

/// One JSON object that depends on the run alone: no wall time, thread count, host name or path. Doubles read back
/// equal; what is not finite is null.
std::string json(const RunReport& report);

std::string mode_name(sim::Mode mode);         ///< "full", "timing", "functional"
std::string numerics_name(Numerics numerics);  ///< "real", "float32"

}  // namespace ttsim::impl::report
