// Results of NoC replays and benchmarks, as text and JSON.
#pragma once

#include <string>

#include "sim/noc/replay.hpp"
#include "tools/validation/noc_bench.hpp"

namespace ttsim::impl::noc {

std::string replay_text(const ReplayResult& result);
/// `seconds`: wall time of the replay.
std::string replay_json(const ReplayResult& result, double seconds);

std::string bench_text(const BenchResult& result);
std::string bench_json(const BenchCase& what, const BenchResult& result, const std::string& chip_name);

}  // namespace ttsim::impl::noc
