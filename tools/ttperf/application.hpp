// Runs the analyzer in a terminal.
#pragma once

#include <functional>
#include <memory>

#include "analysis/trace_report/perf_sheets.hpp"

namespace ttsim::impl::cli {

/// Whether standard input and output are a terminal that can show full screens.
bool has_terminal();

/// Runs until Q. `read` loads the data, at the start and at R. Returns the exit code: 0, or 130 after a signal.
int run_analyzer(const std::function<std::unique_ptr<report::PerfView>()>& read);

}  // namespace ttsim::impl::cli
