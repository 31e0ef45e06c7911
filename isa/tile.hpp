// Tile geometry: 32x32 by default, smaller "tiny" tiles on Wormhole.
#pragma once

#include <fmt/format.h>
#include <cstdint>

namespace ttsim::impl {

struct TileDim {
    std::int32_t h = 32;
    std::int32_t w = 32;
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
