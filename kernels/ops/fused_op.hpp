// What the parts of fused_op share: the configuration of a sub-op on one core, and the tiles its operands have.
#pragma once

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

/// Tiles of one slice on one core.
struct CoreTiles {
    std::int64_t rt = 0, ct = 0;
    friend bool operator==(const CoreTiles&, const CoreTiles&) = default;
};

/// The operand of a sub-op as the sub-op sees it, after its TMs; a reduce over rc takes any: {0, 0}.
CoreTiles operand_tiles(const FusedSubOp& sub, std::size_t operand);
/// The same before the TMs: what the input or intermediate must have.
CoreTiles source_tiles(const FusedSubOp& sub, std::size_t operand);

/// Whether the operand is the left one of a product and an intermediate that a c broadcast repeats.
bool is_inner_broadcast(const FusedSubOp& sub, std::size_t operand);

/// A sub-op as an op on a grid of one core. `before` is the sub-op listed before it in its schedule (whose result
/// `dest` names), nullptr for the first. The shapes of operands are left empty.
OpConfig sub_config(const OpConfig& op, const FusedSubOp& sub, const FusedSubOp* before);

void check_fused(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out);
Tensor golden_fused(const OpConfig& op, std::span<const Tensor* const> in);

}  // namespace ttsim::impl
