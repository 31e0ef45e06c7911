// A trace as the JSON that ui.perfetto.dev and Chrome's tracing page read ("Trace Event Format").
#pragma once

#include <functional>
#include <string_view>

#include "trace/reader.hpp"

namespace ttsim::impl::trace {

struct PerfettoOptions {
    double least_percent = 10;                ///< NoC links that are never busier, in no time bucket, are left out
    std::int64_t first = 0, end = INT64_MAX;  ///< cycles of the run: events that begin elsewhere are left out
};

/// Hands the file to `sink` piece by piece. A process each for epochs, cores, NoC 0, NoC 1, DRAM, queues, the host
/// (PCIe) and Ethernet, those of cores and queues by chip. Slices of a core are its inputs, inside them its waits by
/// cause, and in a trace of level 2 its steps and arrows from pack to arrival. Slices of a track do not overlap. Times
/// are whole nanoseconds from the start of the run, written in microseconds with three decimals.
void export_perfetto(Reader& trace, const PerfettoOptions& options, const std::function<void(std::string_view)>& sink);

}  // namespace ttsim::impl::trace
