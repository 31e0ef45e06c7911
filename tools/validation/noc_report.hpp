// Results of NoC replays and benchmarks, as text and JSON.
#pragma once

#include <string>

#include "sim/noc/replay.hpp"
#include "tools/validation/noc_bench.hpp"
#include "tools/validation/noc_replays.hpp"

namespace ttsim::impl::noc {

std::string replay_text(const ReplayResult& result);
/// `seconds`: wall time of the replay.
std::string replay_json(const ReplayResult& result, double seconds);

/// A table with a line for each file, then the summary. `width`: as for report::Table.
std::string replays_text(const std::vector<FileReplay>& replays, std::optional<std::size_t> width);
/// "files": each as in replay_json(), with "file", or "error"; then the summary.
std::string replays_json(const std::vector<FileReplay>& replays);

std::string bench_text(const BenchResult& result);
std::string bench_json(const BenchCase& what, const BenchResult& result, const std::string& chip_name);

}  // namespace ttsim::impl::noc
