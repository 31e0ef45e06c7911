// A finished run as tables for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "sim/run.hpp"

namespace tt::cli {

/// Tables of every graph and output queue, no wider than `width`, then totals, parameters and notes.
std::string report_text(const sim::RunReport& report, std::optional<std::size_t> width = std::nullopt);

/// One JSON object that depends on the run alone: no wall time, thread count, host name or path. Doubles read back
/// equal; what is not finite is null.
std::string report_json(const sim::RunReport& report);

/// "pass", "mismatch", "ill-conditioned", "nothing was compared" or "not checked".
std::string verdict(const sim::RunReport& report);

std::string mode_name(sim::Mode mode);
std::string numerics_name(Numerics numerics);
std::string math_name(Numerics numerics);

}  // namespace tt::cli
