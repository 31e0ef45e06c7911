// Benchmark of one pipe between two ops, or from a queue in DRAM to an op: its features, as in the vendor's public
// bandwidth trees, and its bytes per clock when the kernels at its ends take no time.
#pragma once

#include <cstdint>
#include <string>

#include "isa/arch.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl::sim {

/// Blocking of one core: mblock, ublock and the order of its ublocks.
struct PipeEnd {
    std::int64_t mblock_m = 1, mblock_n = 1, ublock_rt = 1, ublock_ct = 1;
    bool by_columns = false;
};
/// Parses "2x3/1x4/c": mblock, ublock, order. Throws Error(Input) for other text.
PipeEnd parse_pipe_end(const std::string& text);

struct PipeBenchCase {
    PipeEnd from, to;
    std::int64_t sources = 1, takers = 1;  ///< cores of the producer and of the consumer, in a column each
    bool from_dram = false;                ///< the producer is a queue in one DRAM channel
    DataFormat df = DataFormat::Float16_b;
    std::int64_t buf_size_mb = 2;  ///< of the producer
    std::int64_t inputs = 64;
};

struct PipeBenchResult {
    std::int64_t tile_bytes = 0, clear_tiles = 0, operand_tiles = 0, credit_tiles = 0;
    // from an op
    bool scatter = false;
    std::string because;  ///< reason for scattering; "" if in order
    std::int64_t block_tiles = 0, unit_tiles = 0, phases = 0, forks = 0;
    // from a queue
    std::int64_t chunk_tiles = 0, request_tiles = 0;
    std::uint64_t cycles = 0;
    double bytes_per_clock = 0;  ///< into each core of the consumer
};

/// Throws Error(Input) if the two ends have different numbers of tiles, or a buffer does not fit in L1.
PipeBenchResult pipe_bench(const PipeBenchCase& what, const ChipParams& chip);
std::string pipe_text(const PipeBenchResult& result);
std::string pipe_json(const PipeBenchCase& what, const PipeBenchResult& result, const std::string& chip_name);

}  // namespace ttsim::impl::sim
