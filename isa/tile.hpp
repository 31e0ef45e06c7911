// Tile geometry: 32x32 by default, smaller "tiny" tiles on chips with the feature tiny_tiles.
#pragma once

#include <fmt/format.h>
#include <cstdint>

namespace ttsim::impl {

/// Rows and columns of a whole tile. The same on all chips: formats, netlists and kernels are made of such tiles.
inline constexpr std::int64_t tile_edge = 32;

struct TileDim {
    std::int32_t h = tile_edge;
    std::int32_t w = tile_edge;
    friend bool operator==(TileDim, TileDim) = default;
    std::int32_t elements() const { return h * w; }
};

/// The tile dims netlists may name: 32x32, 16x32, 32x16, 8x32, 4x32, 2x32, 1x32.
bool is_legal(TileDim dim);

/// Faces are 16x16 (or shorter when the tile is): the order of faces is top-left, top-right, bottom-left, bottom-right.
inline constexpr std::int32_t face_edge = 16;

}  // namespace ttsim::impl

template <>
struct fmt::formatter<ttsim::impl::TileDim> : fmt::formatter<int> {
    template <class Context>
    auto format(ttsim::impl::TileDim d, Context& ctx) const {
        return fmt::format_to(ctx.out(), "{}x{}", d.h, d.w);
    }
};
