// How an op hands its output to those who read it: tile by tile in the order in which it is packed, or in whole blocks.
//
// In order, each reader's stream takes tiles as they are packed. Scatter, a block of `block_mblocks` mblocks is packed,
// then every fork sends its part of it in phases of contiguous tiles, and the next block follows when all have. One
// reader that is out of order makes the output scatter for all.
#pragma once

#include <string>
#include <vector>

#include "netlist/plan/tile_order.hpp"

namespace ttsim::impl {

/// What makes an output scatter, by the vendor's rules.
enum class ScatterRule : std::uint8_t {
    None,          ///< in order
    Destinations,  ///< 1: a pipe goes to several cores in turn, which one block cannot serve
    TwoPipes,      ///< 2: one core feeds two pipes of an operand
    Order,         ///< 3: tiles are not taken as they were packed
    Padding,       ///< 4: padding is taken as well
    Part,          ///< 5: what is taken is no integer of mblocks
    Pieces,        ///< 6: it is taken in pieces that are no whole blocks
};
std::string to_string(ScatterRule rule);

/// Everybody who reads an op's output: an operand of an op, or a queue.
struct OutputReader {
    std::string name;               ///< for people: "operand 0 of 'mm'", "queue 'y'"
    std::vector<TileOrder> orders;  ///< of its pipes, for one input
    std::int64_t clear_tiles = 1;   ///< freed at once by the reading core
    bool queue = false;
};

/// A pipe that gathers from several cores asks so many ahead.
constexpr std::size_t relays = 3;

/// What one core sends of a block through one pipe.
struct Fork {
    std::size_t reader = 0, pipe = 0;
    std::int64_t source = 0;
    std::int64_t phases = 0;   ///< most of any block
    std::int64_t tiles = 0;    ///< of that block
    std::int64_t repeats = 1;  ///< times the same phases are sent to make up a block
    double abreast = 1;        ///< sources that the pipe takes from at a time, on average: it has as many as `relays`
};

struct OutputStreaming {
    ScatterRule rule = ScatterRule::None;
    std::string because;             ///< the reader that makes it scatter; "" in order
    std::int64_t block_mblocks = 1;  ///< S
    std::int64_t block_tiles = 0;    ///< handed over at once: S mblocks, or all there are when that is less
    std::int64_t buffer_tiles = 0;   ///< of the output buffer: two blocks, or one
    std::int64_t unit = 0;           ///< tiles that always stay together, scatter_gather_num_tiles
    /// Tiles that the machine treats as one block: block_tiles, or several blocks where a pipe goes back to an earlier
    /// one (a stack that the buffer does not hold).
    std::int64_t held_together = 0;
    std::vector<Fork> forks;
    bool scatter() const { return rule != ScatterRule::None; }
    std::int64_t starts = 0;           ///< of streams, for one core and block: each begins anew for every repeat
    std::int64_t streams = 0;          ///< most that send one block of a core: a stack's cores in turn share one
    std::int64_t most_phases() const;  ///< of one core and block, over its forks
};

OutputStreaming output_streaming(const Op& producer, std::int64_t input_count,
                                 const std::vector<OutputReader>& readers);

}  // namespace ttsim::impl
