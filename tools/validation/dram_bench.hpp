// Tensix tiles that read or write DRAM channels as fast as they can: the bandwidth all of them get together.
#pragma once

#include <cstdint>
#include <string>

#include "isa/arch.hpp"

namespace ttsim::impl::sim {

enum class Pairing : std::uint8_t {
    Random,    ///< tiles drawn at random
    Separate,  ///< a channel's tiles chosen so that their ways share as little as possible with others
};

struct DramBenchCase {
    int channels = 1;  ///< those of one GDDR memory each
    int tiles = 1;
    bool write = false, static_vc = true;
    int noc = 0;
    Pairing pairing = Pairing::Random;
    std::uint64_t bytes = 8192;  ///< of each access
    std::uint64_t seed = 1;
    int placements = 12;            ///< averaged
    std::uint64_t clocks = 160000;  ///< measured in each, after a third as many to fill up
};

struct DramBenchResult {
    double bytes_per_clock = 0, gb_per_second = 0, percent_of_peak = 0;
};

/// What the parts of a chip's memory system take; memory.yaml of its folder.
struct MemoryConstants;

DramBenchResult dram_bench(const DramBenchCase& what, const ChipParams& chip, const MemoryConstants& constants);

}  // namespace ttsim::impl::sim
