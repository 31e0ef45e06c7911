// Axes that are filled up beyond whole tiles: no grid divides a prime number of them.
#pragma once

#include <cstdint>
#include <map>

namespace tt::ir {

/// Tiles of an axis -> tiles it gets on the device, more than those. What stands there is tracked as in other filling
/// datums (compiler/lower/pad_range.hpp).
using TilePadding = std::map<std::int64_t, std::int64_t>;

inline std::int64_t tiles_after(const TilePadding& padding, std::int64_t tiles) {
    const auto found = padding.find(tiles);
    return found == padding.end() ? tiles : found->second;
}

}  // namespace tt::ir
