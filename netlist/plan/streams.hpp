// Stream parameters of operands: how much of a DRAM queue is read at once, and when senders receive credits
// (docs/modelling.md "Pipes").
#pragma once

#include "netlist/plan/tile_order.hpp"

namespace ttsim::impl {

/// Bytes that NCRISC asks for at a time; for the source see docs/modelling.md.
constexpr std::int64_t longest_queue_chunk = 52 * 1024;

/// How NCRISC reads an operand from a queue in DRAM.
struct QueueReads {
    std::int64_t unit = 0;    ///< tiles of one request; 0: not read this way
    std::int64_t chunk = 0;   ///< tiles requested in one iteration of its loop
    std::int64_t buffer = 0;  ///< tiles of the buffer into which NCRISC reads
    /// The buffer is beside the operand's, which a stream fills from it; else it is the operand's.
    bool beside = false;
    std::int64_t rows = 0;  ///< rows of elements per unit, one request each; 0: the unit is one request
    /// Nothing is requested while a step's tiles wait to be unpacked.
    bool waits_for_unpacker() const { return rows > 0; }
    double share = 1;  ///< fraction of the tiles' bytes that is read; for tables: rows named by indices, once each
};

/// Tiles that NCRISC asks for in one iteration. `unit`: tiles of one request; `clear`: tiles freed at once;
/// `per_input`: tiles of an entry; `most`: the bound, exceeded only by a single unit.
std::int64_t chunk_tiles(std::int64_t unit, std::int64_t clear, std::int64_t per_input, std::int64_t most);

/// `orders`: tile order of each pipe for an entry; `clear`: tiles freed at once; `room`: tiles of the operand's buffer.
QueueReads queue_reads(const Queue& queue, const std::vector<TileOrder>& orders, std::int64_t clear, std::int64_t room,
                       std::int64_t tile_bytes, std::int64_t input_dram_io_buf_size_tiles);

/// Reads of a flat queue: rows of elements become tiles. A step's tiles are read at once. Its buffer holds two steps,
/// but nothing is requested while a step that has arrived is in it. `step`: tiles.
QueueReads flat_reads(const Queue& queue, std::int64_t step);

/// Reads of an embedding's table: only the rows named by indices.
QueueReads table_reads(const OpConfig& embedding, std::int64_t step);

/// Tiles that must be free in a buffer of `room` tiles before its sender gets credits; `unit`: tiles of the operand
/// that always stay together.
std::int64_t credit_tiles(std::int64_t room, std::int64_t unit);

/// Tiles of operand k that always stay together for its consumer.
std::int64_t operand_unit(const Op& op, std::size_t k, std::int64_t clear);

}  // namespace ttsim::impl
