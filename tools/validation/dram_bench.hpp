// Measures the total bandwidth of Tensix tiles that read or write DRAM channels at full rate.
#pragma once

#include <cstdint>
#include <string>

#include "isa/arch.hpp"

namespace ttsim::impl::sim {

enum class Pairing : std::uint8_t {
    Random,    ///< random tiles
    Separate,  ///< tiles whose routes share as few links as possible
};

struct DramBenchCase {
    int channels = 1;  ///< each of one GDDR memory
    int tiles = 1;
    bool write = false, static_vc = true;
    int noc = 0;
    Pairing pairing = Pairing::Random;
    std::uint64_t bytes = 8192;  ///< of each access
    std::uint64_t seed = 1;
    int placements = 12;            ///< averaged over
    std::uint64_t clocks = 160000;  ///< measured per placement, after a third as many to warm up
};

struct DramBenchResult {
    double bytes_per_clock = 0, gb_per_second = 0, percent_of_peak = 0;
};

/// Timing of a chip's memory system, from memory.yaml of its folder.
struct MemoryConstants;

DramBenchResult dram_bench(const DramBenchCase& what, const ChipParams& chip, const MemoryConstants& constants);

}  // namespace ttsim::impl::sim
