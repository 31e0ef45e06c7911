// Single cases of the benchmarks of DRAM channels and Ethernet links, and their results as text and JSON.
#pragma once

#include <cstdint>
#include <string>

#include "sim/memory/eth_link.hpp"
#include "tools/validation/dram_bench.hpp"
#include "tools/validation/memory_rows.hpp"

namespace ttsim::impl::sim {

/// Throws Error(Input) if the chip has fewer channels or Tensix tiles than the case needs.
DramBenchResult dram_bench(const DramBenchCase& what, const ChipParams& chip);
std::string dram_text(const DramBenchResult& result);
std::string dram_json(const DramBenchCase& what, const DramBenchResult& result, const std::string& chip_name);

struct EthBenchCase {
    EthReceiver receiver = EthReceiver::Keep;
    bool both_ways = false;
    std::uint64_t bytes = 4096;  ///< of a message
    int hops = 1;                ///< links passed in sequence
};

struct EthBenchResult {
    double gb_per_second = 0, interval_ns = 0;  ///< messages one after the other
    double arrival_ns = 0, round_trip_ns = 0;   ///< one message
    double relayed_ns = 0;                      ///< over all hops
};

/// Throws Error(Input) when the chip has no Ethernet cores.
EthBenchResult eth_bench(const EthBenchCase& what, const ChipParams& chip);
/// "keep", "forward", "flushed", in the order of EthReceiver.
const std::vector<std::string>& receiver_names();
std::string eth_text(const EthBenchCase& what, const EthBenchResult& result);
std::string eth_json(const EthBenchCase& what, const EthBenchResult& result, const std::string& chip_name);

/// Prediction errors of a file of rows, and its number of rows.
std::string errors_json(const BenchRows& rows, const std::vector<PredictionErrors>& errors);

}  // namespace ttsim::impl::sim
