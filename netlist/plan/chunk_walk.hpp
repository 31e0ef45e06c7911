// The tiles of one chunk of an operand slice, rectangle by rectangle in the order in which a core takes them.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/ops/op_def.hpp"

namespace tt {

/// Calls visit(rect) for what chunk number `chunk` of a slice holds. `out`: blocking of the consuming op; `group`: its
/// ublocks in one chunk.
template <class Visit>
void walk_chunk(const OperandUse& use, const Blocking& out, std::int64_t group, std::int64_t chunk, Visit visit) {
    const auto part = [&](std::int64_t size) {  // first and length of the chunk's share
        const std::int64_t first = size * chunk / use.count, end = size * (chunk + 1) / use.count;
        return std::pair(first, end - first);
    };
    switch (use.chunks) {
        case OperandUse::Chunks::One:
            for (const TileRect& rect : use.rects) visit(rect);
            break;
        case OperandUse::Chunks::KColumns:
            if (use.rects.size() > 1) {
                visit(use.rects[static_cast<std::size_t>(chunk)]);
            } else {
                const TileRect& rect = use.rects.front();
                const auto [first, n] = part(rect.nc);
                visit(TileRect{rect.r0, rect.c0 + first, rect.nr, n});
            }
            break;
        case OperandUse::Chunks::KRows: {
            const TileRect& rect = use.rects.front();
            const auto [first, n] = part(rect.nr);
            visit(TileRect{rect.r0 + first, rect.c0, n, rect.nc});
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

}  // namespace tt
