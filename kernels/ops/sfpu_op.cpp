#include "kernels/ops/sfpu_op.hpp"

namespace ttsim::impl::sfpu {

void check(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (operands_complete(op)) check_eltwise_shapes(op, out);
}

bool selects_whole_tiles(const OpConfig& op) {
    return op.tile.h <= 16 || op.tile.w <= 16 || op.attr.vector.value_or(VectorMode::RC) == VectorMode::RC;
}

bool in_vector_part(const OpConfig& op, std::int64_t r, std::int64_t c) {
    if (selects_whole_tiles(op)) return true;
    return *op.attr.vector == VectorMode::R ? r % op.tile.h < 4 : c % op.tile.w < 16;
}

Part computed_part(const OpConfig& op) {
    const TileDim from = operand_tile(op, 0), to = op.tile;
    Part part{std::min(from.h, to.h), std::min(from.w, to.w)};
    const bool small = to.h <= 16 || to.w <= 16;
    if (small || !op.attr.vector) return part;
    if (*op.attr.vector == VectorMode::R) part.rows = std::min<std::int64_t>(part.rows, 4);
    if (*op.attr.vector == VectorMode::C) part.cols = std::min<std::int64_t>(part.cols, 16);
    return part;
}

}  // namespace ttsim::impl::sfpu
