#include "netlist/plan/tile_order.hpp"

#include <algorithm>
#include <set>

#include "netlist/plan/chunk_walk.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl {

namespace {

/// Appends tiles, merging contiguous ones, up to a limit.
class OrderBuilder {
public:
    OrderBuilder(const TmMap& map, const Blocking& producer) : map_(map), producer_(producer) {}

    void limit(std::int64_t tiles) { left_ = tiles; }

    void add(std::int64_t z, const TileRect& rect) {
        for (std::int64_t r = rect.r0; r < rect.r0 + rect.nr;) {
            const TileArea area = map_.area(z, r, rect.c0, rect.r0 + rect.nr - r, rect.nc);
            if (area.columns == rect.nc && area.rows * rect.nc <= left_) {
                add_area(area);
                r += area.rows;
            } else {
                for (std::int64_t c = rect.c0; c < rect.c0 + rect.nc && left_ > 0;) {
                    const TileRun run = map_.run(z, r, c, std::min(left_, rect.c0 + rect.nc - c));
                    add_row(run);
                    c += run.count;
                }
                ++r;
            }
        }
    }
    TileOrder release() { return std::move(order_); }

private:
    void add_area(const TileArea& area) {
        if (area.first.pad || area.turned) {
            for (std::int64_t i = 0; i < area.rows; ++i) add_row(area.row(i));
            return;
        }
        // as add_row(), with the columns divided only once
        const Blocking& b = producer_;
        const bool by_rows = b.order == UblockOrder::Row;
        const std::int64_t ublock_tiles = b.ublock_tiles();
        pieces_.clear();
        for (std::int64_t c = area.first.c, left = area.columns; left > 0; c += pieces_.back().tiles) {
            const std::int64_t inside = c % b.core_ct(), ublock = inside / b.ublock_ct, at = inside % b.ublock_ct;
            pieces_.push_back({c / b.core_ct(), ublock * (by_rows ? 1 : b.mblock_m) * ublock_tiles + at,
                               std::min(b.ublock_ct - at, left)});
            left -= pieces_.back().tiles;
        }
        for (std::int64_t i = 0; i < area.rows; ++i) {
            const std::int64_t r = area.first.r + i, inside = r % b.core_rt(), ublock = inside / b.ublock_rt;
            const std::int64_t source = r / b.core_rt() * b.grid_c;
            const std::int64_t first = area.first.z * b.mblock_tiles() +
                                       ublock * (by_rows ? b.mblock_n : 1) * ublock_tiles +
                                       inside % b.ublock_rt * b.ublock_ct;
            for (const TileSpan& piece : pieces_) join({source + piece.source, first + piece.first, piece.tiles});
        }
        left_ -= area.rows * area.columns;
    }

    void add_row(const TileRun& run) {
        left_ -= run.count;
        if (run.first.pad) return join({TileSpan::padding, 0, run.count});
        const Blocking& b = producer_;
        walk_run(b, run, [&](const BlockPlace& place, std::int64_t tiles, bool contiguous) {
            const std::int64_t first = run.first.z * b.mblock_tiles() + packed_index(b, place);
            if (contiguous) return join({place.block, first, tiles});
            for (std::int64_t i = 0; i < tiles; ++i) join({place.block, first + i * b.ublock_ct, 1});
        });
    }

    void join(const TileSpan& span) {
        if (!order_.empty()) {
            TileSpan& last = order_.back();
            if (last.source == span.source &&
                (span.source == TileSpan::padding || last.first + last.tiles == span.first)) {
                last.tiles += span.tiles;
                return;
            }
        }
        order_.push_back(span);
    }

    const TmMap& map_;
    const Blocking& producer_;
    TileOrder order_;
    TileOrder pieces_;  // of a row, by column of the grid, from its first tile
    std::int64_t left_ = std::numeric_limits<std::int64_t>::max();
};

std::int64_t buffered_tiles(const std::map<int, std::int64_t>& broadcast, std::size_t k) {
    const auto it = broadcast.find(static_cast<int>(k));
    return it == broadcast.end() ? 0 : it->second;
}

TileOrder order_of(const OpConfig& op, std::size_t k, const OperandUse& use, const TmMap& map,
                   const Blocking& producer) {
    OrderBuilder builder(map, producer);
    const std::int64_t once = buffered_tiles(op.attr.kernel_broadcast, k),
                       per_t = buffered_tiles(op.attr.kernel_broadcast_per_t, k);
    if (once > 0) builder.limit(once);
    for (std::int64_t z = 0; z < map.shape().z; ++z) {
        if (per_t > 0 && z % use.slices == 0) builder.limit(per_t);
        for (std::int64_t chunk = 0; chunk < chunks_of(use); ++chunk)
            walk_in_order(use, op.out, 1, 1, chunk, [&](const TileRect& rect) { builder.add(z, rect); });
    }
    return builder.release();
}

}  // namespace

std::vector<TileOrder> tile_orders(const OpConfig& consumer, std::size_t k, const OperandTms& tms,
                                   const Blocking& producer) {
    const TmMap map(producer.shape(), tms);
    const OpDef& def = *find_op(consumer.type);
    std::vector<TileOrder> orders;
    std::set<std::vector<std::int64_t>> known;  // rects of pipes
    for (std::int64_t i = 0; i < consumer.out.grid_r; ++i)
        for (std::int64_t j = 0; j < consumer.out.grid_c; ++j) {
            const OperandUse use = def.use(consumer, static_cast<int>(k), i, j);
            std::vector<std::int64_t> key;
            for (const TileRect& rect : use.rects) key.insert(key.end(), {rect.r0, rect.c0, rect.nr, rect.nc});
            if (known.insert(std::move(key)).second) orders.push_back(order_of(consumer, k, use, map, producer));
        }
    return orders;
}

std::vector<TileOrder> tile_orders(const Queue& consumer, const Blocking& producer) {
    const TmMap map(producer.shape(), consumer.input_tms);
    const Blocking& b = consumer.blocking;
    std::vector<TileOrder> orders;
    for (std::int64_t i = 0; i < b.grid_r; ++i)
        for (std::int64_t j = 0; j < b.grid_c; ++j) {
            OperandUse use;
            use.rects = {{i * b.core_rt(), j * b.core_ct(), b.core_rt(), b.core_ct()}};
            use.chunks = OperandUse::Chunks::Ublocks;
            use.chunk_rt = b.ublock_rt;
            use.chunk_ct = b.ublock_ct;
            OrderBuilder builder(map, producer);
            for (std::int64_t z = 0; z < map.shape().z; ++z)
                for (std::int64_t chunk = 0; chunk < chunks_of(use); ++chunk)
                    walk_in_order(use, b, 1, 1, chunk, [&](const TileRect& rect) { builder.add(z, rect); });
            orders.push_back(builder.release());
        }
    return orders;
}

}  // namespace ttsim::impl
