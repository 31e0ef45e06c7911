#include "kernels/kernel_timing.hpp"

#include <algorithm>
#include <cmath>

namespace tt {

static std::int64_t sfpu_cycles(const ChipTiming& chip, const std::string& type) {
    const auto it = chip.sfpu_tile.find(type);
    if (it != chip.sfpu_tile.end()) return it->second;
    const auto other = chip.sfpu_tile.find("default");
    return other == chip.sfpu_tile.end() ? chip.move_tile : other->second;
}

/// FPU or SFPU cycles of one tile operation.
static std::int64_t tile_cycles(const OpConfig& op, const OpDef& def, const ChipTiming& chip) {
    const auto phase_count = static_cast<std::int64_t>(phases(op.fidelity).size());
    switch (def.op_class) {
        case OpClass::Move:
        case OpClass::Ethernet:
            return chip.move_tile;
        case OpClass::Binary:
            return chip.elw_tile_phase * (op.type == "multiply" ? phase_count : 1);
        case OpClass::Sfpu:
        case OpClass::SfpuBinary:
            return sfpu_cycles(chip, op.type);
        case OpClass::Matmul:
        case OpClass::SparseMatmul:
        case OpClass::Depthwise:
            return chip.matmul_tile_phase * phase_count;
        case OpClass::Reduce:
            return chip.reduce_tile;
        case OpClass::Fused:
            break;
    }
    // A fused op: what its sub-ops cost one after the other.
    std::int64_t sum = 0;
    for (const auto& schedule : op.fused->schedules)
        for (const FusedSubOp& sub : schedule) {
            OpConfig config = op;
            config.type = sub.type;
            const OpDef* sub_def = find_op(sub.type);
            std::int64_t products = 1;
            if (sub_def->op_class == OpClass::Matmul)
                products = std::max<std::int64_t>(1, sub.attributes.m_k * sub.attributes.u_kt);
            sum += products * tile_cycles(config, *sub_def, chip);
        }
    return sum;
}

static Cycles whole(double cycles) { return Cycles(static_cast<std::uint64_t>(std::ceil(cycles))); }

StepTime step_time(const OpConfig& op, const OpDef& def, const ChipTiming& chip, const StepWork& work) {
    // Operand 0 and operand 1 have an unpacker each; further operands take turns with them.
    double lanes[2] = {0, 0};
    for (std::size_t k = 0; k < work.in_bytes.size(); ++k) lanes[k % 2] += static_cast<double>(work.in_bytes[k]);
    const double overhead = static_cast<double>(work.ublocks) * chip.ublock_overhead;
    StepTime time;
    time.unpack = whole(std::max(lanes[0], lanes[1]) / chip.unpack_bytes);
    time.math = whole(overhead + static_cast<double>(work.math_tiles * tile_cycles(op, def, chip)));
    time.pack = whole(static_cast<double>(work.out_bytes) / chip.pack_bytes);
    return time;
}

}  // namespace tt
