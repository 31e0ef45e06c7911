// Where tt-smi writes: names with the time, new every time.
#pragma once

#include <string>

#include "analysis/smi/dump.hpp"

namespace ttsim::impl::cli {

/// "2026-11-23 14:05:06", and "20261123_140506" for names.
std::string time_now();
std::string time_for_name();

/// Writes the snapshot to `file`, or, when that is empty, to ./tt-smi-logs/tt-smi-snapshot_<time>.json. Returns where.
std::string write_snapshot(const smi::Sample& sample, const std::string& file);
/// Writes the dump as .csv and .xlsx into `folder`, or ./tt-smi-logs/tt-smi-dump_<time>/. Returns the folder.
std::string write_dump(const smi::Dump& dump, const std::string& folder);

}  // namespace ttsim::impl::cli
