// Choices of how to tile and split a model's tensors. The compiler compares them by estimates; passes apply them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ttsim::impl::ir {

/// Tiles of an axis -> larger number of tiles on the device: a prime number of tiles is divisible by no grid. Padding
/// elements are tracked as usual (compiler/lower/pad_range.hpp).
using TilePadding = std::map<std::int64_t, std::int64_t>;

inline std::int64_t tiles_after(const TilePadding& padding, std::int64_t tiles) {
    const auto found = padding.find(tiles);
    return found == padding.end() ? tiles : found->second;
}

/// Rows and columns, in tiles, of the constant of a product over few rows -> parts that its columns are split into.
using ProductParts = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

struct Tiling {
    TilePadding padding;  ///< used by lower-to-buda
    ProductParts parts;   ///< used by split-products
    /// Trained constants whose summed gradient fits on no grid -> parameters that hold their rows; used by
    /// train-parameters.
    std::map<std::string, std::int64_t> divided;
    bool splices = true;  ///< enables splice-columns
    friend bool operator==(const Tiling&, const Tiling&) = default;
};

}  // namespace ttsim::impl::ir
