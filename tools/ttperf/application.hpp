// The analyzer in a terminal.
#pragma once

#include <functional>
#include <memory>

#include "analysis/trace_report/perf_sheets.hpp"

namespace ttsim::impl::cli {

/// Whether standard input and output are a terminal that can show screens.
bool terminal_is_there();

/// Until Q; `read` gives the data, first and again at R. The exit code: 0, or 130 where a signal ended it.
int run_analyzer(const std::function<std::unique_ptr<report::PerfView>()>& read);

}  // namespace ttsim::impl::cli
