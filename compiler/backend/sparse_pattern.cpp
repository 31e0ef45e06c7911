#include "compiler/backend/sparse_pattern.hpp"

#include <cstring>
#include <string_view>
#include <unordered_map>

namespace tt::ir {

namespace {

std::string_view bytes_of(const TileDatums& tile) {
    return {reinterpret_cast<const char*>(tile.data()), sizeof(TileDatums)};
}

}  // namespace

SparsePattern make_pattern(const Literal& index, const Literal* weights, std::int64_t cols) {
    constexpr std::int64_t edge = 32;
    const std::int64_t width = index.dims()[1];
    SparsePattern pattern;
    pattern.rows = index.dims()[0] / edge;
    pattern.cols = cols;
    std::unordered_map<std::string, std::int64_t> known;
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
        std::map<std::int64_t, TileDatums> made;  // by tile column
        for (std::int64_t i = row * edge * width; i < (row + 1) * edge * width; ++i) {
            const std::int64_t column = index.whole()[static_cast<std::size_t>(i)];
            if (column < 0) continue;
            const float value = weights ? weights->floats()[static_cast<std::size_t>(i)] : 1.0F;
            pattern.ones = pattern.ones && value == 1.0F;
            auto [it, fresh] = made.try_emplace(column / edge);
            if (fresh) it->second.fill(0.0F);
            it->second[static_cast<std::size_t>(i / width % edge * edge + column % edge)] += value;
        }
        for (const auto& [column, tile] : made) {
            const auto [it, fresh] =
                known.try_emplace(std::string(bytes_of(tile)), static_cast<std::int64_t>(pattern.tiles.size()));
            if (fresh) pattern.tiles.push_back(tile);
            pattern.places.push_back({row, column, it->second});
        }
    }
    return pattern;
}

}  // namespace tt::ir
