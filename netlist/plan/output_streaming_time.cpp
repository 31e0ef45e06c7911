#include "netlist/plan/output_streaming_time.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ttsim::impl {

namespace {

/// Cycles of the phases and bytes of one block.
double sending(const Fork& fork, double tile_bytes, const PipeConstants& t) {
    return static_cast<double>(fork.phases) * t.phase + static_cast<double>(fork.tiles) * tile_bytes / t.stream_bytes;
}

/// Cycles of each source to send a block; its forks send one at a time.
std::map<std::int64_t, double> senders(const OutputStreaming& made, double tile_bytes, const PipeConstants& t) {
    std::map<std::int64_t, double> of;
    for (const Fork& fork : made.forks) of[fork.source] += sending(fork, tile_bytes, t);
    return of;
}

/// Three relays wait for their sources in order, and one stream forwards all tiles. Pipes with the same sources use the
/// same order: each source serves all of them before they continue, and works alone except for requests that the relays
/// issue ahead.
double busiest_gather(const OutputStreaming& made, const std::map<std::int64_t, double>& senders, double tile_bytes,
                      const PipeConstants& t) {
    struct Gather {
        double sources = 0, tiles = 0, phases = 0, iterations = 0;
    };
    std::map<std::pair<std::size_t, std::size_t>, Gather> of;  // by reader, pipe
    for (const Fork& fork : made.forks) {
        Gather& gather = of[{fork.reader, fork.pipe}];
        ++gather.sources;
        gather.tiles += static_cast<double>(fork.tiles);
        gather.phases += static_cast<double>(fork.phases);
        gather.iterations += senders.at(fork.source) / fork.abreast;
    }
    double slowest = 0;
    for (const auto& [_, gather] : of) {
        if (gather.sources < 2) continue;
        const double passed = gather.tiles * (tile_bytes / t.stream_bytes + t.gather_tile);
        const double request_cycles = gather.phases * t.partner / static_cast<double>(relays);
        slowest = std::max(slowest, t.gather_block + std::max({passed, request_cycles, gather.iterations}));
    }
    return slowest;
}

}  // namespace

double output_streaming_cycles(const OutputStreaming& made, const Op& producer, const PipeConstants& constants) {
    const OpConfig& cfg = producer.cfg;
    const auto per_input = static_cast<double>(cfg.out.t * cfg.out.mblock_tiles());
    const auto tile = static_cast<double>(cfg.out_tile_bytes());
    const auto block =
        static_cast<double>(made.scatter() ? made.block_tiles : made.block_mblocks * cfg.out.mblock_tiles());
    const std::map<std::int64_t, double> of = senders(made, tile, constants);
    double sent = busiest_gather(made, of, tile, constants);
    for (const auto& [_, cycles] : of) sent = std::max(sent, cycles);
    double cycles = per_input / block * sent;
    if (made.scatter())
        cycles += per_input / static_cast<double>(made.held_together) *
                  (constants.block + constants.block_fork * static_cast<double>(made.starts));
    return cycles;
}

}  // namespace ttsim::impl
