// Report of a trace: the same numbers as text tables, CSV and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/analysis.hpp"

namespace ttsim::impl::report {

/// The run, and the requested parts.
struct TraceReport {
    trace::RunInfo run;
    std::optional<std::vector<trace::EpochUse>> epochs;
    std::optional<trace::EpochUse> epoch;  ///< one epoch, with its ops
    std::vector<trace::OpUse> ops;
    std::vector<trace::OutputStreamingWait> waits;             ///< waits of the epoch, longest first
    std::optional<std::vector<trace::ResourceUse>> resources;  ///< busiest first
};

TraceReport epochs_report(trace::Reader& trace);
/// Throws Error(Input) when there is no such epoch.
TraceReport epoch_report(trace::Reader& trace, std::int64_t epoch);
/// NoC links, memory channels, Ethernet and PCIe.
TraceReport resources_report(trace::Reader& trace);

/// Tables no wider than `width`.
std::string text(const TraceReport& report, std::optional<std::size_t> width = std::nullopt);
/// One JSON object with a key per part.
std::string json(const TraceReport& report);
/// The rows of every part, each after its titles.
std::string csv(const TraceReport& report);

}  // namespace ttsim::impl::report
