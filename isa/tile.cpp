#include "isa/tile.hpp"

#include <algorithm>
#include <array>

namespace ttsim::impl {

bool is_legal(TileDim dim) {
    constexpr std::array legal{TileDim{32, 32}, TileDim{16, 32}, TileDim{32, 16}, TileDim{8, 32},
                               TileDim{4, 32},  TileDim{2, 32},  TileDim{1, 32}};
    return std::find(legal.begin(), legal.end(), dim) != legal.end();
}

}  // namespace ttsim::impl
