// Bit-true tile operations of kernels, by instruction. Tiles are matrices of float32 bits as in fpu.hpp; register and
// Dst rows are 64 rows of 16, ordered by faces.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/exact/fpu.hpp"

namespace ttsim::impl::exact {

using Tile = std::array<float, 1024>;  ///< 32 x 32, row-major
inline MatrixView view(Tile& tile) { return {tile.data(), tile_edge, tile_edge, tile_edge}; }
inline ConstMatrixView view(const Tile& tile) { return {tile.data(), tile_edge, tile_edge, tile_edge}; }

/// Converts 64 rows of 16 elements to a tile, and back.
Tile tile_of_rows(std::span<const std::uint32_t> rows);
std::array<std::uint32_t, 1024> rows_of_tile(const Tile& tile);
Tile transposed(const Tile& tile);

/// Copies in place through SrcA into an empty Dst: a move (16-bit Dst) or an addition to zero (32-bit Dst).
void copy_to_dest(const FpuConfig& config, MatrixView values);

/// Which part of the second operand of an element-wise op is broadcast.
enum class Broadcast : std::uint8_t { None, Row, Column, Scalar };
Tile broadcast(Broadcast kind, const Tile& tile);

/// Reduces tiles into Dst one after the other. The result is in row 0 (Column), column 0 (Row) or element (0, 0).
enum class Reduction : std::uint8_t { Max, Sum };
enum class ReduceAlong : std::uint8_t { Column, Row, Scalar };
class TileReducer {
public:
    /// `scaler`: row 0 of the SrcB face (16 elements), the factor of sums and averages.
    TileReducer(const FpuConfig& config, Reduction kind, ReduceAlong along, std::span<const int> phases,
                std::span<const float, 16> scaler);
    void add(ConstMatrixView tile);
    /// Column: one value per column; Row: one per row; Scalar: one.
    std::span<const float> result() const { return dest_; }

private:
    void pool(ConstMatrixView face, std::span<float> dest, bool undefined) const;
    void add_column(ConstMatrixView tile);
    void add_row(ConstMatrixView tile);
    void add_scalar(ConstMatrixView tile);

    FpuConfig config_;
    Reduction kind_;
    ReduceAlong along_;
    std::span<const int> phases_;
    std::array<float, 16> scaler_;
    bool first_ = true;
    std::vector<float> dest_;
};

}  // namespace ttsim::impl::exact
