#include "kernels/exact/tile.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl::exact {

namespace {

constexpr std::size_t edge = tile_edge, face = 16;

/// Index in a row-major tile of register row `row`, column `col`.
std::size_t tile_index(std::size_t row, std::size_t col) {
    const std::size_t f = row / face;
    return (f / 2 * face + row % face) * edge + f % 2 * face + col;
}

/// Truncates Dst elements to the 16 bits that SrcB holds.
void truncate_to_source(const FpuConfig& config, std::span<float> values) {
    const std::uint32_t mask = config.dest == Dest::Fp32 ? ~0xFFFFU : ~0U;
    for (float& x : values) x = float_of(bits_of(x) & mask);
}

}  // namespace

Tile tile_of_rows(std::span<const std::uint32_t> rows) {
    Tile tile;
    for (std::size_t r = 0; r < 64; ++r)
        for (std::size_t c = 0; c < face; ++c) tile[tile_index(r, c)] = float_of(rows[r * face + c]);
    return tile;
}

std::array<std::uint32_t, 1024> rows_of_tile(const Tile& tile) {
    std::array<std::uint32_t, 1024> rows;
    for (std::size_t r = 0; r < 64; ++r)
        for (std::size_t c = 0; c < face; ++c) rows[r * face + c] = bits_of(tile[tile_index(r, c)]);
    return rows;
}

Tile transposed(const Tile& tile) {
    Tile out;
    for (std::size_t r = 0; r < edge; ++r)
        for (std::size_t c = 0; c < edge; ++c) out[c * edge + r] = tile[r * edge + c];
    return out;
}

void copy_to_dest(const FpuConfig& config, MatrixView values) {
    if (config.dest != Dest::Fp32) {
        const std::uint32_t base = config.fp16_sources ? 112U << 23 | 0x007FFFFFU : least_normal_bits - 1;
        const std::uint32_t mask = config.dest == Dest::Bf16 ? ~0xFFFFU : ~0x1FFFU;
        return for_each_element(values, [=](std::uint32_t b) { return where_less(base, b & ~sign_bit, b & mask); });
    }
    // An addition to zero: 11 significant bits, no denormals, no NaN.
    const std::uint32_t base = config.fp16_sources ? 112U << 23 | 0x007FFFFFU : least_normal_bits - 1;
    for_each_element(values, [=](std::uint32_t b) {
        const std::uint32_t size = min_magnitude(b & ~sign_bit & ~0x1FFFU, infinity_bits);
        return where_less(base, b & ~sign_bit, size | (b & sign_bit));
    });
}

Tile broadcast(Broadcast kind, const Tile& tile) {
    Tile out = tile;
    for (std::size_t r = 0; r < edge; ++r)
        for (std::size_t c = 0; c < edge; ++c) {
            const std::size_t from_r = kind == Broadcast::Row || kind == Broadcast::Scalar ? 0 : r;
            const std::size_t from_c = kind == Broadcast::Column || kind == Broadcast::Scalar ? 0 : c;
            out[r * edge + c] = tile[from_r * edge + from_c];
        }
    return out;
}

TileReducer::TileReducer(const FpuConfig& config, Reduction kind, ReduceAlong along, std::span<const int> phases,
                         std::span<const float, 16> scaler)
    : config_(config), kind_(kind), along_(along), phases_(phases) {
    std::copy(scaler.begin(), scaler.end(), scaler_.begin());
}

void TileReducer::pool(ConstMatrixView face_rows, std::span<float> dest, bool undefined) const {
    if (kind_ == Reduction::Max) return pool_max(config_, face_rows, undefined, dest);
    const auto width = static_cast<std::int64_t>(dest.size());
    matmul(config_, phases_, 16, {scaler_.data(), 1, face_rows.rows, face_rows.rows}, face_rows,
           {dest.data(), 1, width, width});
}

void TileReducer::add(ConstMatrixView tile) {
    if (first_)
        dest_.assign(static_cast<std::size_t>(along_ == ReduceAlong::Column ? tile.cols
                                              : along_ == ReduceAlong::Row  ? tile.rows
                                                                            : 1),
                     0.0F);
    if (along_ == ReduceAlong::Column) add_column(tile);
    if (along_ == ReduceAlong::Row) add_row(tile);
    if (along_ == ReduceAlong::Scalar) add_scalar(tile);
    first_ = false;
}

void TileReducer::add_column(ConstMatrixView tile) {
    for (std::int64_t r = 0; r < tile.rows; r += 16)
        pool(tile.sub(r, 0, std::min<std::int64_t>(16, tile.rows - r), tile.cols), dest_, first_ && r == 0);
}

void TileReducer::add_row(ConstMatrixView tile) {
    std::vector<float> transposed_face(static_cast<std::size_t>(tile.rows * 16));
    for (std::int64_t c = 0; c < tile.cols; c += 16) {
        const std::int64_t count = std::min<std::int64_t>(16, tile.cols - c);
        for (std::int64_t r = 0; r < tile.rows; ++r)
            for (std::int64_t i = 0; i < count; ++i)
                transposed_face[static_cast<std::size_t>(i * tile.rows + r)] = tile.at(r, c + i);
        pool({transposed_face.data(), count, tile.rows, tile.rows}, dest_, first_ && c == 0);
    }
    truncate_to_source(config_, dest_);
}

void TileReducer::add_scalar(ConstMatrixView tile) {
    const std::int64_t width = std::min<std::int64_t>(16, tile.cols);
    std::vector<float> row(static_cast<std::size_t>(width));
    bool undefined = true;
    for (std::int64_t r = 0; r < tile.rows; r += 16)
        for (std::int64_t c = 0; c < tile.cols; c += width, undefined = false)
            pool(tile.sub(r, c, std::min<std::int64_t>(16, tile.rows - r), width), row, undefined);
    truncate_to_source(config_, row);
    pool({row.data(), width, 1, 1}, dest_, first_);
}

}  // namespace ttsim::impl::exact
