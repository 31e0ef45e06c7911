// The values of a buffer of a device session and how they lie in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/literal.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl::runtime {

enum class MemoryKind : std::uint8_t { Dram, L1 };

/// The values of a buffer and how they lie in memory.
struct BufferSpec {
    ir::Type type;                              ///< element type and shape of the values
    DataFormat format = DataFormat::Float16_b;  ///< of floats: they are rounded to it
    int element_bits = 16;                      ///< in memory, without shared exponents
    bool tiled = true;                          ///< in tiles of 32 x 32 over the last two axes; else row by row
    MemoryKind memory = MemoryKind::Dram;
    /// Of a sharded buffer in L1: the core of each shard, row by row in the grid of working cores, and rows and columns
    /// of a shard. Empty: pages are dealt over all banks.
    std::vector<std::int64_t> cores;
    std::int64_t shard_rows = 0, shard_columns = 0;
};

}  // namespace ttsim::impl::runtime
