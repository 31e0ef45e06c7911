// How a model's tensors are cut where the compiler has a choice: decided by estimates, heeded by passes.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace ttsim::impl::ir {

/// Tiles of an axis -> tiles it gets on the device, more than those: no grid divides a prime number of them. What
/// stands there is tracked as in other filling elements (compiler/lower/pad_range.hpp).
using TilePadding = std::map<std::int64_t, std::int64_t>;

inline std::int64_t tiles_after(const TilePadding& padding, std::int64_t tiles) {
    const auto found = padding.find(tiles);
    return found == padding.end() ? tiles : found->second;
}

/// Rows and columns, in tiles, of the constant of products over few rows -> parts that their columns are made in.
using ProductParts = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

struct Tiling {
    TilePadding padding;  ///< of lower-to-buda
    ProductParts parts;   ///< of split-products
    bool splices = true;  ///< splice-columns does its work
    friend bool operator==(const Tiling&, const Tiling&) = default;
};

}  // namespace ttsim::impl::ir
