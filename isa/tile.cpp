#include "isa/tile.hpp"

#include <algorithm>
#include <array>

namespace ttsim::impl {

bool is_legal(TileDim dim) {
    constexpr std::array legal{TileDim{},
                               TileDim{16, tile_edge},
                               TileDim{tile_edge, 16},
                               TileDim{8, tile_edge},
                               TileDim{4, tile_edge},
                               TileDim{2, tile_edge},
                               TileDim{1, tile_edge}};
    return std::find(legal.begin(), legal.end(), dim) != legal.end();
}

}  // namespace ttsim::impl
