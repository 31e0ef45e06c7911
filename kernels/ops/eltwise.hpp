// Shared by element-wise ops in the simulator: the rectangle that a core reads, and loops over tiles.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/exact/block.hpp"
#include "kernels/ops/integer_bits.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

inline TileDim operand_tile(const OpConfig& op, int k) {
    const auto i = static_cast<std::size_t>(k);
    return i < op.in_tile.size() ? op.in_tile[i] : op.tile;
}

/// The core's output rectangle, in ublocks.
inline OperandUse use_eltwise(const OpConfig& op, int /*operand*/, std::int64_t core_r, std::int64_t core_c) {
    const Blocking& b = op.out;
    OperandUse use;
    use.rects = {{core_r * b.core_rt(), core_c * b.core_ct(), b.core_rt(), b.core_ct()}};
    use.chunks = OperandUse::Chunks::Ublocks;
    use.chunk_rt = b.ublock_rt;
    use.chunk_ct = b.ublock_ct;
    use.clear_tiles = b.ublock_tiles();
    return use;
}

inline bool copies_bits(const OpConfig& op) { return is_raw(op.out_df); }

/// Copies tile (r, c) of `from` to tile (r, c) of `to`; elements outside smaller `from` tiles stay zero.
inline void copy_tiles(ConstMatrixView from, TileDim from_dim, MatrixView to, TileDim to_dim) {
    const bool same_width = from_dim.w == to_dim.w;
    const std::int64_t w = std::min(from_dim.w, to_dim.w);
    for (std::int64_t r = 0; r < to.rows; ++r) {
        const std::int64_t inside = r % to_dim.h;
        if (inside >= from_dim.h) continue;
        const float* source = from.row(r / to_dim.h * from_dim.h + inside);
        if (same_width) {
            std::memcpy(to.row(r), source, static_cast<std::size_t>(to.cols) * sizeof(float));
            continue;
        }
        for (std::int64_t tile = 0; tile < to.cols / to_dim.w; ++tile) {
            std::memcpy(to.row(r) + tile * to_dim.w, source + tile * from_dim.w,
                        static_cast<std::size_t>(w) * sizeof(float));
        }
    }
}

/// Rounds copies of in0 as the move to Dst does.
inline void round_copy(const BlockArgs& args) {
    if (!rounds_to_formats(args.numerics) || copies_bits(args.op) || keeps_integers(args.op)) return;
    if (is_integer(args.op.acc_df)) return round_to_dest(args.op.acc_df, args.out);
    exact::move_to_dest(args.op.in_df[0], args.op.acc_df, args.out);
}

/// Calls work(pointer, count) on the first `rows` x `cols` elements of every tile, in maximal runs.
template <class Work>
void for_tile_parts(MatrixView m, TileDim dim, std::int64_t rows, std::int64_t cols, Work work) {
    for (std::int64_t r = 0; r < m.rows; ++r) {
        if (r % dim.h >= rows) continue;
        if (cols >= dim.w) {
            work(m.row(r), m.cols);
            continue;
        }
        for (std::int64_t c = 0; c < m.cols; c += dim.w) work(m.row(r) + c, cols);
    }
}

}  // namespace ttsim::impl
