// Resources of the overlay streams for one operand: forks, phases and sources of the busiest core.
// A pipe feeds a core of the consumer, or a row or column of cores that need the same tiles. Each pipe that reads a
// core needs one stream there (a fork of its output). Each change of source along a pipe is a phase of the pipe's
// stream and of the source's.
#pragma once

#include <utility>
#include <vector>

#include "kernels/ops/op_def.hpp"
#include "netlist/tm.hpp"

namespace ttsim::impl {

/// Maximum over the cores, for one input.
struct StreamUse {
    std::int64_t fan_out = 0;          ///< pipes that read one core or buffer of the producer
    std::int64_t producer_phases = 0;  ///< of one core of the producer, over all its pipes
    std::int64_t consumer_phases = 0;  ///< of one pipe
    std::int64_t sources = 0;          ///< cores or buffers that one pipe reads
    friend bool operator==(const StreamUse&, const StreamUse&) = default;
};

/// Maximum tiles of one phase; longer runs need several.
constexpr std::int64_t phase_tiles = 2048;

/// Stream use of operand k of the op, for the producer's blocking and the TMs between.
StreamUse stream_use(const OpConfig& op, std::size_t k, const OperandTms& tms, const Blocking& producer);

/// The tiles of one input that a pipe carries.
struct PipeTiles {
    std::int64_t core = 0;  ///< last core it feeds, row-major over the consumer's grid
    std::vector<std::pair<std::int64_t, std::int64_t>> from;  ///< core or buffer of the producer, tiles
};
std::vector<PipeTiles> pipe_tiles(const OpConfig& op, std::size_t k, const OperandTms& tms, const Blocking& producer);

}  // namespace ttsim::impl
