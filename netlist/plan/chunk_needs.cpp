#include "netlist/plan/chunk_needs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "netlist/plan/chunk_walk.hpp"

namespace ttsim::impl {

NeedSource op_source(const PlanOp& producer) {
    NeedSource source;
    source.blocking = producer.op->cfg.out;
    source.slice_tiles = producer.slice_tiles;
    source.block_tiles = producer.output_streaming.held_together;
    std::int64_t sum = 0;
    for (const std::int64_t tiles : producer.pushed_tiles()) source.produced_after.push_back(sum += tiles);
    return source;
}

NeedSource queue_source(const Queue& queue) {
    NeedSource source;
    source.blocking = queue.blocking;
    return source;
}

namespace {

/// Collects the needs of one chunk, by source and block in order of first use.
class ChunkCollector {
public:
    /// `once`: every tile is transferred only once (operands held for the complete execute).
    ChunkCollector(Pipe& pipe, const NeedSource& source, const TmMap& map, bool once)
        : pipe_(pipe), source_(source), map_(map), unique_tiles_(once) {
        const TileShape shape = source.blocking.shape();
        if (once) seen_.assign(static_cast<std::size_t>(shape.tiles()), false);
        slot_of_.assign(static_cast<std::size_t>(source.blocking.cores()), none);
        block_of_.assign(slot_of_.size(), 0);
    }

    void begin() {
        first_ = pipe_.needs.size();
        tiles_ = 0;
        pipe_.first_need.push_back(static_cast<std::uint32_t>(first_));
    }

    void add(std::int64_t z, const TileRect& rect) {
        if (!unique_tiles_) tiles_ += rect.nr * rect.nc;
        const std::int64_t right = rect.c0 + rect.nc, below = rect.r0 + rect.nr;
        for (std::int64_t r = rect.r0; r < below;) {
            const TileArea area = map_.area(z, r, rect.c0, below - r, unique_tiles_ ? 1 : rect.nc);
            if (area.columns == rect.nc) {
                for (std::int64_t i = 0; i < area.rows; ++i) add(area.row(i));
                r += area.rows;
                continue;
            }
            for (std::int64_t c = rect.c0; c < right;) {
                const TileRun run = map_.run(z, r, c, unique_tiles_ ? 1 : right - c);
                add(run);
                c += run.count;
            }
            ++r;
        }
    }

    void end() {
        pipe_.chunk_tiles.push_back(static_cast<std::uint32_t>(tiles_));
        for (std::size_t n = first_; n < pipe_.needs.size(); ++n) slot_of_[pipe_.needs[n].source] = none;
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    void add(const TileRun& run) {
        if (!run.first.pad && first_time(run.first)) add_run(run);
    }

    bool first_time(const TileSource& tile) {
        if (!unique_tiles_) return true;
        const TileShape shape = source_.blocking.shape();
        const auto at = static_cast<std::size_t>((tile.z * shape.rt + tile.r) * shape.ct + tile.c);
        if (seen_[at]) return false;
        seen_[at] = true;
        ++tiles_;
        return true;
    }

    // Each part of a run inside one ublock of the producer is counted at once.
    void add_run(const TileRun& run) {
        walk_run(source_.blocking, run, [&](const BlockPlace& place, std::int64_t tiles, bool contiguous) {
            touch(run.first.z, place, tiles, contiguous);
        });
    }

    /// `contiguous`: the tiles are consecutive in the output order of the producer's core.
    void touch(std::int64_t z, const BlockPlace& place, std::int64_t tiles, bool contiguous) {
        const Blocking& b = source_.blocking;
        const std::int64_t position = z * source_.slice_tiles + packed_index(b, place);
        std::uint32_t& slot = slot_of_[static_cast<std::size_t>(place.block)];
        std::int64_t& block = block_of_[static_cast<std::size_t>(place.block)];
        const std::int64_t current_block = source_.block_tiles > 0 ? position / source_.block_tiles : 0;
        if (slot == none || block != current_block) {
            block = current_block;
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
        if (place.block != last_block_ || position != next_) ++need.phases;
        if (!contiguous) need.phases += static_cast<std::uint32_t>(tiles - 1);
        last_block_ = place.block;
        next_ = position + (contiguous ? tiles - 1 : (tiles - 1) * b.ublock_ct) + 1;
        const std::vector<std::int64_t>& ends = source_.produced_after;
        const auto step = static_cast<std::size_t>(
            std::upper_bound(ends.begin(), ends.end() - 1, packed_index(b, place)) - ends.begin());
        const std::int64_t end = z * source_.slice_tiles + source_.produced_after[step];
        const std::int64_t start = z * source_.slice_tiles + (step == 0 ? 0 : source_.produced_after[step - 1]);
        need.need = std::max(need.need, end);
        need.release =
            std::min(need.release, start);  // first position used; set_releases() replaces it by the release position
    }

    Pipe& pipe_;
    const NeedSource& source_;
    const TmMap& map_;
    bool unique_tiles_;
    std::vector<bool> seen_;
    std::vector<std::uint32_t> slot_of_;  // source -> index in needs of its current block, within a chunk
    std::vector<std::int64_t> block_of_;
    std::int64_t last_block_ = -1, next_ = 0;  // continuation of the current run
    std::size_t first_ = 0;
    std::int64_t tiles_ = 0;
};

/// After a need the source may reuse everything before the first position of later needs, including those of the next
/// input.
void set_releases(Pipe& pipe, const NeedSource& source) {
    const std::int64_t all = source.blocking.t * source.slice_tiles;
    std::vector<std::int64_t> later(static_cast<std::size_t>(source.blocking.cores()), 2 * all);
    for (const ChunkNeed& need : pipe.needs) later[need.source] = std::min(later[need.source], all + need.release);
    for (std::size_t n = pipe.needs.size(); n-- > 0;) {
        ChunkNeed& need = pipe.needs[n];
        const std::int64_t first_touched = need.release;
        need.release = later[need.source];
        later[need.source] = std::min(later[need.source], first_touched);
    }
}

void set_sendings(Pipe& pipe, bool from_queue) {
    pipe.tiles_before = {0};
    for (std::uint32_t chunk = 0; chunk < pipe.chunks(); ++chunk) {
        const std::uint32_t first = pipe.first_need[chunk], end = pipe.first_need[chunk + 1];
        std::int64_t before = pipe.tiles_before.back();
        pipe.tiles_before.push_back(before + pipe.chunk_tiles[chunk]);
        for (std::uint32_t n = first; !from_queue && n + 1 < end; ++n) {
            const std::uint32_t tiles = pipe.needs[n].tiles;
            pipe.sendings.push_back({chunk, n, n + 1, tiles, false, before});
            before += tiles;
        }
        const auto left = static_cast<std::uint32_t>(std::max<std::int64_t>(0, pipe.tiles_before.back() - before));
        pipe.sendings.push_back({chunk, from_queue || end == first ? first : end - 1, end, left, true, before});
    }
}

}  // namespace

void fill_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out, std::int64_t group,
                 const NeedSource& source) {
    ChunkCollector collect(pipe, source, operand.map, operand.intake == Intake::Resident);
    for (std::int64_t z = 0; z < operand.operand_z; ++z)
        for (std::int64_t chunk = 0; chunk < operand.chunks_per_slice; ++chunk) {
            collect.begin();
            const auto add = [&](const TileRect& rect) { collect.add(z, rect); };
            if (source.produced_after.empty())
                walk_chunk(use, out, group, operand.parts, chunk, add);
            else
                walk_in_order(use, out, group, operand.parts, chunk, add);
            collect.end();
        }
    pipe.first_need.push_back(static_cast<std::uint32_t>(pipe.needs.size()));
    const bool from_queue = source.produced_after.empty();
    if (!from_queue) set_releases(pipe, source);
    set_sendings(pipe, from_queue);
}

namespace {

/// Tiles of the source that a chunk is the first to use.
std::int64_t count_new(const TmMap& map, const TileShape& shape, std::int64_t z, const TileRect& rect,
                       std::vector<std::uint8_t>& seen) {
    std::int64_t tiles = 0;
    const auto count = [&](const TileRun& run) {
        if (run.first.pad) return;
        std::uint8_t* at = seen.data() + (run.first.z * shape.rt + run.first.r) * shape.ct + run.first.c;
        const std::int64_t step = run.dr * shape.ct + run.dc;
        for (std::int64_t n = 0; n < run.count; ++n, at += step) tiles += std::exchange(*at, 1) == 0 ? 1 : 0;
    };
    const std::int64_t right = rect.c0 + rect.nc, below = rect.r0 + rect.nr;
    for (std::int64_t r = rect.r0; r < below;) {
        const TileArea area = map.area(z, r, rect.c0, below - r, rect.nc);
        if (area.columns == rect.nc) {
            for (std::int64_t i = 0; i < area.rows; ++i) count(area.row(i));
            r += area.rows;
            continue;
        }
        for (std::int64_t c = rect.c0; c < right;) {
            const TileRun run = map.run(z, r, c, right - c);
            c += run.count;
            count(run);
        }
        ++r;
    }
    return tiles;
}

}  // namespace

void count_chunks(Pipe& pipe, const PlanOperand& operand, const OperandUse& use, const Blocking& out,
                  std::int64_t group, const TileShape& source) {
    const bool once = operand.intake == Intake::Resident;
    std::vector<std::uint8_t> seen(once ? static_cast<std::size_t>(source.tiles()) : 0);
    for (std::int64_t z = 0; z < operand.operand_z; ++z)
        for (std::int64_t chunk = 0; chunk < operand.chunks_per_slice; ++chunk) {
            std::int64_t tiles = 0;
            walk_chunk(use, out, group, operand.parts, chunk, [&](const TileRect& rect) {
                tiles += once ? count_new(operand.map, source, z, rect, seen) : rect.nr * rect.nc;
            });
            pipe.chunk_tiles.push_back(static_cast<std::uint32_t>(tiles));
        }
}

}  // namespace ttsim::impl
