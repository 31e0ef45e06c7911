// How an op sends its output to its readers: tile by tile in packing order, or in blocks.
// In order: each reader's stream reads tiles as they are packed. Scatter: a block of `block_mblocks` mblocks is packed,
// then every fork sends its part in phases of contiguous tiles; the next block follows when all forks are done. A
// single reader that is out of order makes the output scatter for all.
#pragma once

#include <string>
#include <vector>

#include "netlist/plan/tile_order.hpp"

namespace ttsim::impl {

/// Reason for scatter, by the vendor's rules.
enum class ScatterRule : std::uint8_t {
    None,          ///< in order
    Destinations,  ///< 1: a pipe feeds several cores alternately, which one block cannot serve
    TwoPipes,      ///< 2: one core feeds two pipes of an operand
    Order,         ///< 3: tiles are not read in packing order
    Padding,       ///< 4: padding is read as well
    Part,          ///< 5: the tiles read are not a multiple of mblocks
    Pieces,        ///< 6: it is read in parts that are not complete blocks
};
std::string to_string(ScatterRule rule);

/// A reader of an op's output: an operand of an op, or a queue.
struct OutputReader {
    std::string name;               ///< for messages: "operand 0 of 'mm'", "queue 'y'"
    std::vector<TileOrder> orders;  ///< tile orders of its pipes, for one input
    std::int64_t clear_tiles = 1;   ///< freed at once by the reading core
    bool queue = false;
};

/// Requests ahead of a pipe that gathers from several cores.
constexpr std::size_t relays = 3;

/// The part of a block that one core sends through one pipe.
struct Fork {
    std::size_t reader = 0, pipe = 0;
    std::int64_t source = 0;
    std::int64_t phases = 0;   ///< maximum over the blocks
    std::int64_t tiles = 0;    ///< of that block
    std::int64_t repeats = 1;  ///< repetitions of the same phases per block
    double abreast = 1;        ///< average number of sources that the pipe reads from at a time, at most `relays`
};

struct OutputStreaming {
    ScatterRule rule = ScatterRule::None;
    std::string because;             ///< the reader that causes scatter; "" in order
    std::int64_t block_mblocks = 1;  ///< S
    std::int64_t block_tiles = 0;    ///< sent at once: S mblocks, or all if there are fewer
    std::int64_t buffer_tiles = 0;   ///< tiles of the output buffer: two blocks, or one
    std::int64_t unit = 0;           ///< tiles that always stay together, scatter_gather_num_tiles
    /// Tiles that the simulation treats as one block: block_tiles, or several blocks if a pipe returns to an earlier
    /// one (a stack larger than the buffer).
    std::int64_t held_together = 0;
    std::vector<Fork> forks;
    bool scatter() const { return rule != ScatterRule::None; }
    std::int64_t starts = 0;  ///< stream starts per core and block: a stream restarts for every repeat
    std::int64_t streams =
        0;  ///< maximum streams that send one block of a core; cores of a stack alternately share one
    std::vector<bool> alternating;     ///< by reader: its pipes read the cores alternately, block by block
    std::int64_t most_phases() const;  ///< maximum phases of one core and block, over its forks
};

OutputStreaming output_streaming(const Op& producer, std::int64_t input_count,
                                 const std::vector<OutputReader>& readers);

}  // namespace ttsim::impl
