// What the chip's streams do with an operand beyond carrying it: how much of a queue in DRAM is read at once, and how
// much space must be free before the sender hears of it (docs/modelling.md "Pipes").
#pragma once

#include "netlist/plan/tile_order.hpp"

namespace ttsim::impl {

/// How NCRISC reads an operand from a queue in DRAM.
struct QueueReads {
    std::int64_t unit = 0;    ///< tiles of one request; 0: nothing is read this way
    std::int64_t chunk = 0;   ///< tiles asked for in one turn of its loop
    std::int64_t buffer = 0;  ///< tiles that may have been asked for and not been taken
    std::int64_t rows = 0;  ///< of elements that make up a unit, each a request of its own; 0: the unit is one request
    double share = 1;       ///< of the tiles' bytes that are read; of a table its rows that indices name, once for each
};

/// `orders`: what each pipe takes of an entry; `clear`: tiles freed at once; `room`: tiles of the operand's buffer.
QueueReads queue_reads(const Queue& queue, const std::vector<TileOrder>& orders, std::int64_t clear, std::int64_t room,
                       std::int64_t tile_bytes, std::int64_t input_dram_io_buf_size_tiles);

/// The same of a flat queue: rows of elements become tiles, what is read at once is all that a step takes, and nothing
/// is asked for while any of it lies there. `step`: tiles.
QueueReads flat_reads(const Queue& queue, std::int64_t step);

/// The same of an embedding's table, of which only the rows that indices name are read.
QueueReads table_reads(const OpConfig& embedding, std::int64_t step);

/// Tiles that must be free in a buffer of `room` before its sender hears of them; `unit`: tiles of the operand that
/// always stay together.
std::int64_t credit_tiles(std::int64_t room, std::int64_t unit);

/// Tiles of operand k that always stay together for its consumer.
std::int64_t operand_unit(const Op& op, std::size_t k, std::int64_t clear);

}  // namespace ttsim::impl
