// The analyzer's screens as files, to be compared between runs.
#pragma once

#include <string>

#include "analysis/trace_report/perf_sheets.hpp"

namespace ttsim::impl::cli {

/// FOLDER/NETLIST/epoch_summary.txt and epoch_N_details.txt, with whole names. Throws Error(Input) where one cannot be
/// written or is there and empty of what these are, unless forced.
void write_epoch_screens(const report::PerfView& view, const std::string& folder);

}  // namespace ttsim::impl::cli
