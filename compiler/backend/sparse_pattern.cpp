#include "compiler/backend/sparse_pattern.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace ttsim::impl::ir {

namespace {

std::string bytes_of(const TileElements& tile) {
    std::string bytes;
    for (const auto& [place, value] : tile) {
        bytes.append(reinterpret_cast<const char*>(&place), sizeof place);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
}

/// Sorts elements by position, sums duplicates and drops zeros.
void merge_duplicates(TileElements& tile) {
    std::stable_sort(tile.begin(), tile.end(), [](TileElement a, TileElement b) { return a.place < b.place; });
    std::size_t kept = 0;
    for (const TileElement& element : tile) {
        if (kept > 0 && tile[kept - 1].place == element.place)
            tile[kept - 1].value += element.value;
        else
            tile[kept++] = element;
    }
    tile.resize(kept);
    tile.erase(std::remove_if(tile.begin(), tile.end(), [](TileElement d) { return d.value == 0; }), tile.end());
    tile.shrink_to_fit();
}

}  // namespace

SparsePattern make_pattern(const Literal& index, const Literal* weights, std::int64_t cols) {
    constexpr std::int64_t edge = tile_edge;
    const std::int64_t width = index.dims()[1];
    SparsePattern pattern;
    pattern.rows = index.dims()[0] / edge;
    pattern.cols = cols;
    std::unordered_map<std::string, std::int64_t> known;
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
        pattern.begins.push_back(pattern.places.size());
        std::map<std::int64_t, TileElements> made;  // by tile column
        index.for_each_gathered(row * edge * width, (row + 1) * edge * width, [&](std::int64_t i, std::int64_t column) {
            const float value = weights ? weights->floats()[static_cast<std::size_t>(i)] : 1.0F;
            pattern.ones = pattern.ones && value == 1.0F;
            made[column / edge].push_back({static_cast<std::uint16_t>(i / width % edge * edge + column % edge), value});
        });
        for (auto& [column, tile] : made) {
            merge_duplicates(tile);
            const auto [it, fresh] = known.try_emplace(bytes_of(tile), static_cast<std::int64_t>(pattern.tiles.size()));
            if (fresh) pattern.tiles.push_back(std::move(tile));
            pattern.places.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                                      static_cast<std::int32_t>(it->second)});
        }
    }
    if (pattern.places.empty() && pattern.rows > 0) {  // an operand has a tile or more: one of zeros
        pattern.tiles.emplace_back();
        pattern.places.push_back({0, 0, 0});
        std::fill(pattern.begins.begin() + 1, pattern.begins.end(), 1);
    }
    pattern.begins.push_back(pattern.places.size());
    return pattern;
}

}  // namespace ttsim::impl::ir
