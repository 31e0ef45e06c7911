// A constant sparse matrix in the form of a netlist's sparse matmul: distinct 32x32 tiles and their positions.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/memo.hpp"
#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct TileElement {
    std::uint16_t place = 0;  ///< row-major
    float value = 0;
};
/// Nonzero elements by position; a gather tile has a few dozen at most.
using TileElements = std::vector<TileElement>;

struct SparseTilePosition {
    std::int32_t row = 0, col = 0;  ///< in tiles
    std::int32_t tile = 0;          ///< index in SparsePattern::tiles
};

/// Sizes of an encoding for some blocks (sparse_blocking.cpp).
struct SparseSizes {
    bool fits = false;
    std::int64_t tiles = 1, tile_bits = 1, ublock_bits = 1, index_tiles = 1;
    std::vector<std::int64_t> strips;  ///< per grid row
};

struct SparsePattern {
    std::int64_t rows = 0, cols = 0;         ///< in tiles
    std::vector<TileElements> tiles;         ///< distinct
    std::vector<SparseTilePosition> places;  ///< by row, then column; a tile of zeros only if all are
    std::vector<std::size_t> begins;         ///< begin of each row in `places`, and the end
    bool ones = true;                        ///< all weights are 1, so elements fit a byte
    /// What several threads compute of it while they choose blocks.
    struct Cache {
        /// By grid rows, slices, rows of ublocks, height of a ublock, u_kt.
        Memo<std::array<std::int64_t, 5>, SparseSizes> sizes;
        /// The largest number of tiles of a grid row, by grid rows and slices.
        Memo<std::array<std::int64_t, 2>, std::int64_t> most_tiles;
    };
    std::shared_ptr<Cache> cache = std::make_shared<Cache>();
};

/// The pattern of the operands of buda.sparse: `index` [32 * rows, n] with -1 for none; `weights` of the same shape, or
/// nullptr for ones. The matrix has `cols` tile columns.
SparsePattern make_pattern(const Literal& index, const Literal* weights, std::int64_t cols);

}  // namespace ttsim::impl::ir
