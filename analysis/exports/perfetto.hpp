// A trace as a file for ui.perfetto.dev: JSON, which Chrome's tracing page reads too ("Trace Event Format"), or
// protocol buffers (perfetto/trace/trace.proto), which are smaller.
#pragma once

#include <functional>
#include <string_view>

#include "trace/reader.hpp"

namespace ttsim::impl::trace {

struct PerfettoOptions {
    double least_percent = 10;  ///< NoC links whose utilization stays below this in all time buckets are left out
    bool protobuf = false;
    std::int64_t first = 0, end = INT64_MAX;  ///< window in cycles of the run: events that begin outside are left out
};

/// Passes the file to `sink` in pieces. There is a process for epochs, and per chip for cores, NoC 0, NoC 1, DRAM,
/// queues, the host (PCIe) and Ethernet. Slices of a core are its inputs, which contain its waits by cause. A trace of
/// level 2 also has steps, and arrows from pack to arrival. Slices of a track do not overlap. Times are integer
/// nanoseconds from the start of the run, written in microseconds with three decimals.
void export_perfetto(Reader& trace, const PerfettoOptions& options, const std::function<void(std::string_view)>& sink);

}  // namespace ttsim::impl::trace
