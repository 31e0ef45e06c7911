// What ttperf prints: the same numbers as tables for people, as CSV and as JSON.
#pragma once

#include <string>
#include <vector>

#include "trace/analysis.hpp"

namespace tt::cli {

enum class Form : std::uint8_t { Text, Csv, Json };

/// The run and its epochs.
std::string epochs_report(const trace::RunInfo& run, const std::vector<trace::EpochUse>& epochs, Form form);
/// The op table of one epoch.
std::string ops_report(const trace::RunInfo& run, const trace::EpochUse& epoch, const std::vector<trace::OpUse>& ops,
                       Form form);
/// NoC links, memory channels, Ethernet and PCIe, busiest first.
std::string resources_report(const trace::RunInfo& run, const std::vector<trace::ResourceUse>& resources, Form form);

}  // namespace tt::cli
