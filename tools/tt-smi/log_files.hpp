// Writes the snapshots and dumps of tt-smi, by default under new names with the time.
#pragma once

#include <string>

#include "analysis/smi/dump.hpp"

namespace ttsim::impl::cli {

/// "2026-11-23 14:05:06", and "20261123_140506" for file names.
std::string time_now();
std::string timestamp_for_name();

/// Writes the snapshot to `file`, or, when that is empty, to ./tt-smi-logs/tt-smi-snapshot_<time>.json. Returns the
/// path.
std::string write_snapshot(const smi::Sample& sample, const std::string& file);
/// Writes the dump as .csv and .xlsx into `folder`, or ./tt-smi-logs/tt-smi-dump_<time>/. Returns the folder.
std::string write_dump(const smi::Dump& dump, const std::string& folder);

}  // namespace ttsim::impl::cli
