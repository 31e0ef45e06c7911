// What the chip's streams do with an operand beyond carrying it: how much of a queue in DRAM is read at once, and how
// much space must be free before the sender hears of it (docs/modelling.md "Pipes").
#pragma once

#include "netlist/plan/tile_order.hpp"

namespace tt {

/// How NCRISC reads an operand from a queue in DRAM.
struct QueueReads {
    std::int64_t unit = 0;    ///< tiles of one request; 0: nothing is read this way
    std::int64_t chunk = 0;   ///< tiles asked for in one turn of its loop
    std::int64_t buffer = 0;  ///< tiles that may have been asked for and not been taken
};

/// `orders`: what each pipe takes of an entry; `clear`: tiles freed at once; `room`: tiles of the operand's buffer.
QueueReads queue_reads(const Queue& queue, const std::vector<TileOrder>& orders, std::int64_t clear, std::int64_t room,
                       std::int64_t tile_bytes, std::int64_t input_dram_io_buf_size_tiles);

/// Tiles that must be free in a buffer of `room` before its sender hears of them; `unit`: tiles of the operand that
/// always stay together.
std::int64_t credit_tiles(std::int64_t room, std::int64_t unit);

/// Tiles of operand k that always stay together for its consumer.
std::int64_t operand_unit(const Op& op, std::size_t k, std::int64_t clear);

}  // namespace tt
