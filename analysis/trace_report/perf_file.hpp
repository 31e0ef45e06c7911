// What an analyzer needs, read from a trace or kept in one file (--save, --load).
#pragma once

#include <string>

#include "analysis/trace/perf_data.hpp"

namespace ttsim::impl::report {

/// With the blocks of its ops, as far as the netlist in the trace can be read.
trace::PerfData read_perf(const std::string& trace_file);
/// The netlist that a trace holds; "" where it holds none.
std::string netlist_text(trace::Reader& trace);

/// One JSON object.
std::string saved_text(const trace::PerfData& data);
/// Throws Error(Input) when the file cannot be read or is none that saved_text() made.
trace::PerfData load_perf(const std::string& file);

/// What the compiler expected of each op, out of what `ttsim compile --explain --json` prints. Throws Error(Input).
std::map<std::string, trace::OpEstimate> read_estimates(const std::string& file);

}  // namespace ttsim::impl::report
