// Shared by the sources of fused_op: the configuration of a sub-op on one core, and the tiles of its operands.
#pragma once

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

/// Tiles of one slice on one core.
struct CoreTiles {
    std::int64_t rt = 0, ct = 0;
    friend bool operator==(const CoreTiles&, const CoreTiles&) = default;
};

/// Tiles of a sub-op's operand after its TMs. {0, 0} for a reduce over rc, which accepts any shape.
CoreTiles operand_tiles(const FusedSubOp& sub, std::size_t operand);
/// The same before the TMs: tiles that the input or intermediate must have.
CoreTiles source_tiles(const FusedSubOp& sub, std::size_t operand);

/// Whether the operand is input 0 of a product and an intermediate repeated by a c broadcast.
bool is_inner_broadcast(const FusedSubOp& sub, std::size_t operand);

/// A sub-op as an op on a grid of one core. `before` is the previous sub-op of its schedule, which may have written
/// `dest`; nullptr for the first. Operand shapes are left empty.
OpConfig sub_config(const OpConfig& op, const FusedSubOp& sub, const FusedSubOp* before);

void check_fused(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out);
Tensor golden_fused(const OpConfig& op, std::span<const Tensor* const> in);

}  // namespace ttsim::impl
