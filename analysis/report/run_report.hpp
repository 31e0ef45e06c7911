// Report of a run as text tables and as JSON.
#pragma once

#include <optional>
#include <string>

#include "sim/run.hpp"

namespace ttsim::impl::report {

/// Cycles are clock cycles of the chip. Figures have the same names in all reports: inputs_per_second (steady),
/// end_to_end_per_second, latency_cycles, load_cycles.
using RunReport = sim::RunReport;

/// Tables of every graph and output queue, limited to `width` columns, then totals, parameters and notes.
std::string text(const RunReport& report, std::optional<std::size_t> width = std::nullopt);

/// One JSON object that depends on the run only: it has no wall time, thread count, host name or path. Doubles are
/// printed exactly; non-finite values are null.
std::string json(const RunReport& report);

std::string mode_name(sim::Mode mode);         ///< "full", "timing", "functional"
std::string numerics_name(Numerics numerics);  ///< "real", "float32"

}  // namespace ttsim::impl::report
