// What moving one operand costs in streams of the overlay: forks, phases and sources of the busiest core.
//
// A core of the consumer, or a row or column of them that need the same tiles, is fed by a pipe. Each pipe that takes
// from a core is one stream there (a fork of its output); each change of source along a pipe is a phase of the pipe's
// stream, and of the source's.
#pragma once

#include <utility>
#include <vector>

#include "kernels/ops/op_def.hpp"
#include "netlist/tm.hpp"

namespace ttsim::impl {

/// Of the busiest core each, for one input.
struct StreamUse {
    std::int64_t fan_out = 0;          ///< pipes that take from one core or buffer of the producer
    std::int64_t producer_phases = 0;  ///< of one core of the producer, over all its pipes
    std::int64_t consumer_phases = 0;  ///< of one pipe
    std::int64_t sources = 0;          ///< cores or buffers that one pipe takes from
    friend bool operator==(const StreamUse&, const StreamUse&) = default;
};

/// Tiles of one phase; a longer run takes several.
constexpr std::int64_t phase_tiles = 2048;

/// For operand k of the op, made with that blocking and TMs between.
StreamUse stream_use(const OpConfig& op, std::size_t k, const OperandTms& tms, const Blocking& producer);

/// The tiles of one input that a pipe carries.
struct PipeTiles {
    std::int64_t core = 0;                                    ///< the last it feeds, row-major over the consumer's grid
    std::vector<std::pair<std::int64_t, std::int64_t>> from;  ///< core or buffer of the producer, tiles
};
std::vector<PipeTiles> pipe_tiles(const OpConfig& op, std::size_t k, const OperandTms& tms, const Blocking& producer);

}  // namespace ttsim::impl
