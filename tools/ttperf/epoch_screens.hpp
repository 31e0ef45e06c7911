// Writes the analyzer's screens as text files, to compare runs.
#pragma once

#include <string>

#include "analysis/trace_report/perf_sheets.hpp"

namespace ttsim::impl::cli {

/// FOLDER/NETLIST/epoch_summary.txt and epoch_N_details.txt, with full names. Throws Error(Input) if one cannot be
/// written, or exists as a file of another kind and --force is not set.
void write_epoch_screens(const report::PerfView& view, const std::string& folder);

}  // namespace ttsim::impl::cli
