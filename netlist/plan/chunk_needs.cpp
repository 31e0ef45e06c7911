#include "netlist/plan/chunk_needs.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "netlist/plan/chunk_walk.hpp"

namespace tt {

NeedSource op_source(const PlanOp& producer) {
    NeedSource source;
    source.blocking = producer.op->cfg.out;
    source.slice_tiles = producer.slice_tiles;
    std::int64_t sum = 0;
    for (const std::int64_t tiles : producer.out_tiles) {
        if (tiles == 0) continue;
        sum += tiles;
        source.produced_after.push_back(sum);
    }
    source.ublocks_per_step = source.produced_after.front() / source.blocking.ublock_tiles();
    return source;
}

NeedSource queue_source(const Queue& queue) {
    NeedSource source;
    source.blocking = queue.blocking;
    return source;
}

namespace {

/// Collects the needs of one chunk, source by source in order of first touch.
class ChunkCollector {
public:
    /// `once`: a tile that was brought before is not brought again (operands held for the whole execute).
    ChunkCollector(Pipe& pipe, const NeedSource& source, const TmMap& map, bool once)
        : pipe_(pipe), source_(source), map_(map), once_(once) {
        const TileShape shape = source.blocking.shape();
        if (once) seen_.assign(static_cast<std::size_t>(shape.tiles()), false);
        slot_of_.assign(static_cast<std::size_t>(source.blocking.cores()), none);
    }

    void begin() {
        first_ = pipe_.needs.size();
        tiles_ = 0;
        pipe_.first_need.push_back(static_cast<std::uint32_t>(first_));
    }

    void add(std::int64_t z, const TileRect& rect) {
        if (!once_) tiles_ += rect.nr * rect.nc;
        for (std::int64_t r = rect.r0; r < rect.r0 + rect.nr; ++r)
            for (std::int64_t c = rect.c0; c < rect.c0 + rect.nc;) {
                const TileRun run = map_.run(z, r, c, once_ ? 1 : rect.c0 + rect.nc - c);
                if (!run.first.pad && first_time(run.first)) add_run(run);
                c += run.count;
            }
    }

    void end() {
        pipe_.chunk_tiles.push_back(static_cast<std::uint32_t>(tiles_));
        for (std::size_t n = first_; n < pipe_.needs.size(); ++n) slot_of_[pipe_.needs[n].source] = none;
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    bool first_time(const TileSource& tile) {
        if (!once_) return true;
        const TileShape shape = source_.blocking.shape();
        const auto at = static_cast<std::size_t>((tile.z * shape.rt + tile.r) * shape.ct + tile.c);
        if (seen_[at]) return false;
        seen_[at] = true;
        ++tiles_;
        return true;
    }

    // A run crosses cores and steps of the producer; each piece inside one of them counts as a whole.
    void add_run(const TileRun& run) {
        const Blocking& b = source_.blocking;
        std::int64_t r = run.first.r, c = run.first.c, left = run.count;
        while (left > 0) {
            const BlockPlace place = place_of(b, r, c);
            std::int64_t piece = 1;
            if (run.dc != 0)
                piece = b.ublock_ct - place.c % b.ublock_ct;
            else if (run.dr != 0)
                piece = b.ublock_rt - place.r % b.ublock_rt;
            piece = std::min(piece, left);
            touch(run.first.z, place, piece);
            r += run.dr * piece;
            c += run.dc * piece;
            left -= piece;
        }
    }

    void touch(std::int64_t z, const BlockPlace& place, std::int64_t tiles) {
        std::uint32_t& slot = slot_of_[static_cast<std::size_t>(place.block)];
        if (slot == none) {
            slot = static_cast<std::uint32_t>(pipe_.needs.size());
            ChunkNeed fresh;
            fresh.source = static_cast<std::uint32_t>(place.block);
            fresh.z_first = fresh.z_last = static_cast<std::int32_t>(z);
            if (!source_.produced_after.empty()) fresh.release = std::numeric_limits<std::int64_t>::max();
            pipe_.needs.push_back(fresh);
        }
        ChunkNeed& need = pipe_.needs[slot];
        need.tiles += static_cast<std::uint32_t>(tiles);
        need.z_first = std::min(need.z_first, static_cast<std::int32_t>(z));
        need.z_last = std::max(need.z_last, static_cast<std::int32_t>(z));
        if (source_.produced_after.empty()) return;
        const Blocking& b = source_.blocking;
        const std::int64_t ur = place.r / b.ublock_rt, uc = place.c / b.ublock_ct;
        const std::int64_t ublock = b.order == UblockOrder::Row ? ur * b.mblock_n + uc : uc * b.mblock_m + ur;
        const auto step =
            std::min(static_cast<std::size_t>(ublock / source_.ublocks_per_step), source_.produced_after.size() - 1);
        const std::int64_t end = z * source_.slice_tiles + source_.produced_after[step];
        const std::int64_t start = z * source_.slice_tiles + (step == 0 ? 0 : source_.produced_after[step - 1]);
        need.need = std::max(need.need, end);
        need.release = std::min(need.release, start);  // first position touched; turned round by set_releases()
    }

    Pipe& pipe_;
    const NeedSource& source_;
    const TmMap& map_;
    bool once_;
    std::vector<bool> seen_;
    std::vector<std::uint32_t> slot_of_;  // source -> index in needs, while in a chunk
    std::size_t first_ = 0;
    std::int64_t tiles_ = 0;
};

/// After a chunk a source may reuse everything before the first position any later chunk touches.
void set_releases(Pipe& pipe, const NeedSource& source) {
    const std::int64_t all = source.blocking.t * source.slice_tiles;
    std::vector<std::int64_t> later(static_cast<std::size_t>(source.blocking.cores()), all);
    for (std::size_t n = pipe.needs.size(); n-- > 0;) {
        ChunkNeed& need = pipe.needs[n];
        const std::int64_t first_touched = need.release;
        need.release = later[need.source];
        later[need.source] = std::min(later[need.source], first_touched);
    }
}

}  // namespace

void fill_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out, std::int64_t group,
                 const NeedSource& source) {
    ChunkCollector collect(pipe, source, operand.map, operand.intake == Intake::Resident);
    for (std::int64_t z = 0; z < operand.operand_z; ++z)
        for (std::int64_t chunk = 0; chunk < operand.chunks_per_slice; ++chunk) {
            collect.begin();
            walk_chunk(use, out, group, chunk, [&](const TileRect& rect) { collect.add(z, rect); });
            collect.end();
        }
    pipe.first_need.push_back(static_cast<std::uint32_t>(pipe.needs.size()));
    if (!source.produced_after.empty()) set_releases(pipe, source);
}

std::int64_t widest_window(const std::vector<Pipe>& pipes, std::size_t sources) {
    // released[source]: (pipe, position) of every pipe that touches the source
    std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> released(sources);
    std::size_t chunks = 0;
    for (std::size_t p = 0; p < pipes.size(); ++p) {
        chunks = std::max(chunks, pipes[p].chunks());
        for (const ChunkNeed& need : pipes[p].needs)
            if (released[need.source].empty() || released[need.source].back().first != p)
                released[need.source].emplace_back(p, 0);
    }
    std::int64_t widest = 0;
    const auto each_need = [&](std::size_t chunk, auto&& visit) {
        for (std::size_t p = 0; p < pipes.size(); ++p) {
            if (chunk >= pipes[p].chunks()) continue;
            for (std::uint32_t n = pipes[p].first_need[chunk]; n < pipes[p].first_need[chunk + 1]; ++n)
                visit(p, pipes[p].needs[n]);
        }
    };
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        each_need(chunk, [&](std::size_t, const ChunkNeed& need) {
            std::int64_t kept = need.need;
            for (const auto& [_, position] : released[need.source]) kept = std::min(kept, position);
            widest = std::max(widest, need.need - kept);
        });
        each_need(chunk, [&](std::size_t p, const ChunkNeed& need) {
            for (auto& [pipe, position] : released[need.source])
                if (pipe == p) position = std::max(position, need.release);
        });
    }
    return widest;
}

}  // namespace tt
