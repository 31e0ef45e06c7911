// A constant sparse matrix as a netlist's sparse matmul wants it: few distinct 32x32 tiles, and where each stands.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct TileElement {
    std::uint16_t place = 0;  ///< row-major
    float value = 0;
};
/// Those that are not 0, by place: a tile that picks has no more than a few dozen.
using TileElements = std::vector<TileElement>;

struct SparsePlace {
    std::int32_t row = 0, col = 0;  ///< in tiles
    std::int32_t tile = 0;          ///< of SparsePattern::tiles
};

/// What an encoding of it for some blocks needs (sparse_blocking.cpp); made once.
struct SparseSizes {
    bool fits = false;
    std::int64_t tiles = 1, tile_bits = 1, ublock_bits = 1, index_tiles = 1;
    std::vector<std::int64_t> strips;  ///< of each grid row
};

struct SparsePattern {
    std::int64_t rows = 0, cols = 0;  ///< in tiles
    std::vector<TileElements> tiles;  ///< all different
    std::vector<SparsePlace> places;  ///< by row, then column; tiles of zeros are left out
    std::vector<std::size_t> begins;  ///< where each row's places begin, and where the last one's end
    bool ones = true;                 ///< all elements are 0 or sums of 1, which a byte holds
    /// By grid rows, slices, rows of ublocks, height of a ublock, u_kt.
    mutable std::map<std::array<std::int64_t, 5>, SparseSizes> sizes{};
    /// The most tiles that a grid row uses, by grid rows and slices.
    mutable std::map<std::array<std::int64_t, 2>, std::int64_t> most_tiles{};
};

/// From the operands of buda.sparse: `index` [32 * rows, n] with -1 for none, `weights` of the same shape or nullptr
/// for ones; the matrix has `cols` tile columns.
SparsePattern make_pattern(const Literal& index, const Literal* weights, std::int64_t cols);

}  // namespace ttsim::impl::ir
