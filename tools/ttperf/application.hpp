// Runs the analyzer in a terminal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/trace_report/perf_sheets.hpp"

namespace ttsim::impl::cli {

/// Whether standard input and output are a terminal that can show full screens.
bool has_terminal();

/// Runs until Q. `read` loads the data, at the start and at R; `advise` makes the lines of advice when they are first
/// shown. Returns the exit code: 0, or 130 after a signal.
int run_analyzer(const std::function<std::unique_ptr<report::PerfView>()>& read,
                 const std::function<std::vector<std::string>()>& advise);

}  // namespace ttsim::impl::cli
