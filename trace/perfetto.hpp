// A trace as the JSON that Chrome's tracing page and ui.perfetto.dev read ("Trace Event Format").
#pragma once

#include <functional>
#include <string_view>

#include "trace/reader.hpp"

namespace tt::trace {

/// Hands the file to `sink` piece by piece. Processes are the epochs of the run and its chips; tracks of a chip are its
/// cores with a slice for each input of an op, and in a trace of level 2 inside it one for each step; counters are the
/// utilization of links and memory channels over time. Times are microseconds of the chip's clock.
void export_perfetto(Reader& trace, const std::function<void(std::string_view)>& sink);

}  // namespace tt::trace
