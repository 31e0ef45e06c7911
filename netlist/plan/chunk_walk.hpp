// Enumerates the tiles of one chunk of an operand slice, as rectangles in the order of consumption.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/ops/op_def.hpp"
#include "netlist/plan/plan.hpp"
#include "netlist/plan/tm_map.hpp"

namespace ttsim::impl {

/// The index of a tile among a core's tiles of an output slice, in packing order.
inline std::int64_t packed_index(const Blocking& b, const BlockPlace& place) {
    const std::int64_t ur = place.r / b.ublock_rt, uc = place.c / b.ublock_ct;
    const std::int64_t ublock = b.order == UblockOrder::Row ? ur * b.mblock_n + uc : uc * b.mblock_m + ur;
    return ublock * b.ublock_tiles() + place.r % b.ublock_rt * b.ublock_ct + place.c % b.ublock_ct;
}

/// Splits a run at ublocks of its producer; calls visit(place of the first tile, tiles, whether they were packed
/// consecutively).
template <class Visit>
void walk_run(const Blocking& producer, const TileRun& run, Visit visit) {
    const bool down = run.dr != 0 && run.dc == 0;
    const bool contiguous = run.dc != 0 || (down && producer.ublock_ct == 1);
    BlockPlace place = place_of(producer, run.first.r, run.first.c);
    std::int64_t& at = down ? place.r : place.c;
    const std::int64_t ublock = down ? producer.ublock_rt : producer.ublock_ct;
    const std::int64_t block = down ? producer.core_rt() : producer.core_ct();
    std::int64_t room = ublock - at % ublock;
    for (std::int64_t left = run.count; left > 0; left -= room, room = ublock) {
        const std::int64_t piece = std::min(room, left);
        visit(std::as_const(place), piece, contiguous);
        at += piece;
        if (at < block) continue;
        at = 0;
        place.block += down ? producer.grid_c : 1;
    }
}

/// Number of chunks of a slice, for chunks of one ublock or a whole k-block.
inline std::int64_t chunks_of(const OperandUse& use) {
    switch (use.chunks) {
        case OperandUse::Chunks::One:
            return 1;
        case OperandUse::Chunks::KColumns:
        case OperandUse::Chunks::KRows:
            return use.count;
        case OperandUse::Chunks::Ublocks:
            break;
    }
    const TileRect& rect = use.rects.front();
    return (rect.nr / use.chunk_rt) * (rect.nc / use.chunk_ct);
}

/// Calls visit(rect) for the tiles of chunk `chunk` of a slice. `out`: blocking of the consuming op; `group`: its
/// ublocks per chunk; `parts`: chunks per k-block.
template <class Visit>
void walk_chunk(const OperandUse& use, const Blocking& out, std::int64_t group, std::int64_t parts, std::int64_t chunk,
                Visit visit) {
    const std::int64_t block = chunk / parts, in_block = chunk % parts;
    const auto share = [](std::int64_t size, std::int64_t number, std::int64_t of) {  // first and length
        const std::int64_t first = size * number / of, end = size * (number + 1) / of;
        return std::pair(first, end - first);
    };
    switch (use.chunks) {
        case OperandUse::Chunks::One:
            for (const TileRect& rect : use.rects) visit(rect);
            break;
        case OperandUse::Chunks::KColumns: {
            const bool own = use.rects.size() > 1;
            const TileRect& rect = own ? use.rects[static_cast<std::size_t>(block)] : use.rects.front();
            const auto [left, columns] = own ? std::pair(std::int64_t{0}, rect.nc) : share(rect.nc, block, use.count);
            const auto [top, rows] = share(rect.nr, in_block, parts);
            visit(TileRect{rect.r0 + top, rect.c0 + left, rows, columns});
            break;
        }
        case OperandUse::Chunks::KRows: {
            const TileRect& rect = use.rects.front();
            const auto [top, rows] = share(rect.nr, block, use.count);
            const auto [left, columns] = share(rect.nc, in_block, parts);
            visit(TileRect{rect.r0 + top, rect.c0 + left, rows, columns});
            break;
        }
        case OperandUse::Chunks::Ublocks: {
            const TileRect& rect = use.rects.front();
            const std::int64_t down = rect.nr / use.chunk_rt, across = rect.nc / use.chunk_ct;
            for (std::int64_t u = chunk * group; u < std::min((chunk + 1) * group, down * across); ++u) {
                const std::int64_t ur = out.order == UblockOrder::Row ? u / across : u % down;
                const std::int64_t uc = out.order == UblockOrder::Row ? u % across : u / down;
                visit(TileRect{rect.r0 + ur * use.chunk_rt, rect.c0 + uc * use.chunk_ct, use.chunk_rt, use.chunk_ct});
            }
            break;
        }
    }
}

/// As walk_chunk(), with smaller rectangles, so that their tiles in row order have the order of consumption: rows of a
/// k-block by ublocks of the result's columns, complete slices by ublocks.
template <class Visit>
void walk_in_order(const OperandUse& use, const Blocking& out, std::int64_t group, std::int64_t parts,
                   std::int64_t chunk, Visit visit) {
    walk_chunk(use, out, group, parts, chunk, [&](const TileRect& rect) {
        std::int64_t rt = rect.nr, ct = rect.nc;
        bool by_columns = false;
        if (use.chunks == OperandUse::Chunks::KRows) {
            ct = out.ublock_ct;
        } else if (use.chunks == OperandUse::Chunks::One) {
            const bool own = use.chunk_rt * use.chunk_ct > 1;
            rt = own ? use.chunk_rt : out.ublock_rt;
            ct = own ? use.chunk_ct : out.ublock_ct;
            by_columns = out.order == UblockOrder::Column;
        }
        if (rect.nr % rt != 0 || rect.nc % ct != 0) return visit(rect);
        const std::int64_t down = rect.nr / rt, across = rect.nc / ct;
        for (std::int64_t u = 0; u < down * across; ++u) {
            const std::int64_t r = by_columns ? u % down : u / across, c = by_columns ? u / down : u % across;
            visit(TileRect{rect.r0 + r * rt, rect.c0 + c * ct, rt, ct});
        }
    });
}

}  // namespace ttsim::impl
