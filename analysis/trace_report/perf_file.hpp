// Data of the analyzer, read from a trace or stored in a file (--save, --load).
#pragma once

#include <string>

#include "analysis/trace/perf_data.hpp"

namespace ttsim::impl::report {

/// Reads a trace, with blocks of its ops if its netlist can be read.
trace::PerfData read_perf(const std::string& trace_file);
/// The netlist text in a trace; "" when it has none.
std::string netlist_text(trace::Reader& trace);

/// The data as one JSON object.
std::string saved_text(const trace::PerfData& data);
/// Reads a file of saved_text(). Throws Error(Input) when it cannot be read or is another file.
trace::PerfData load_perf(const std::string& file);

/// The compiler's estimates of ops, from the output of `ttsim compile --explain --json`. Throws Error(Input).
std::map<std::string, trace::OpEstimate> read_estimates(const std::string& file);

}  // namespace ttsim::impl::report
