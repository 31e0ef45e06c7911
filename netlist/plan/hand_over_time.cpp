#include "netlist/plan/hand_over_time.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tt {

namespace {

/// Of one block: what its phases and bytes take.
double sending(const Fork& fork, double tile_bytes, const PipeConstants& t) {
    return static_cast<double>(fork.phases) * t.phase + static_cast<double>(fork.tiles) * tile_bytes / t.stream_bytes;
}

/// The forks of a core send one at a time.
double busiest_sender(const HandOver& made, double tile_bytes, const PipeConstants& t) {
    std::map<std::int64_t, double> of;  // by source
    double most = 0;
    for (const Fork& fork : made.forks) most = std::max(most, of[fork.source] += sending(fork, tile_bytes, t));
    return most;
}

/// Three relays wait for their sources in turn, one stream passes all tiles on.
double busiest_gather(const HandOver& made, double tile_bytes, const PipeConstants& t) {
    constexpr double relays = 3;
    struct Gather {
        double sources = 0, tiles = 0, phases = 0;
    };
    std::map<std::pair<std::size_t, std::size_t>, Gather> of;  // by reader, pipe
    for (const Fork& fork : made.forks) {
        Gather& gather = of[{fork.reader, fork.pipe}];
        ++gather.sources;
        gather.tiles += static_cast<double>(fork.tiles);
        gather.phases += static_cast<double>(fork.phases);
    }
    double most = 0;
    for (const auto& [_, gather] : of) {
        if (gather.sources < 2) continue;
        const double passed = gather.tiles * (tile_bytes / t.stream_bytes + t.gather_tile);
        most = std::max(most, t.gather_block + std::max(passed, gather.phases * t.partner / relays));
    }
    return most;
}

}  // namespace

double hand_over_cycles(const HandOver& made, const Op& producer, const PipeConstants& constants) {
    const OpConfig& cfg = producer.cfg;
    const auto per_input = static_cast<double>(cfg.out.t * cfg.out.mblock_tiles());
    const auto tile = static_cast<double>(tile_bytes(cfg.out_df, cfg.tile));
    const auto block =
        static_cast<double>(made.scatter() ? made.block_tiles : made.block_mblocks * cfg.out.mblock_tiles());
    const double sent = std::max(busiest_sender(made, tile, constants), busiest_gather(made, tile, constants));
    double cycles = per_input / block * sent;
    if (made.scatter())
        cycles += per_input / static_cast<double>(made.held_together) *
                  (constants.block + constants.block_fork * static_cast<double>(made.starts));
    return cycles;
}

}  // namespace tt
