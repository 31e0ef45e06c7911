#include "netlist/plan/l1_space.hpp"

#include <algorithm>

namespace tt {

static std::int64_t round_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

std::int64_t output_buffer_tiles(const Op& op, std::int64_t input_count) {
    const Blocking& out = op.cfg.out;
    const std::int64_t mblock = out.mblock_tiles();
    // Untilized rows leave as they are made: a row of ublocks per buffer, not a whole mblock.
    if (op.cfg.untilize) return op.buf_size_mb * out.mblock_n * out.ublock_tiles();
    const std::int64_t ever = input_count * out.t;  // mblocks an execute makes
    const bool few = ever <= std::max<std::int64_t>(op.buf_size_mb / 2, 1);
    return (few ? ever : op.buf_size_mb) * mblock;
}

std::int64_t input_buffer_tiles(const Op& op, std::size_t k, const OperandUse& use, std::int64_t tile_bytes) {
    const auto held = [&](const std::map<int, std::int64_t>& broadcast) -> std::int64_t {
        const auto it = broadcast.find(static_cast<int>(k));
        return it == broadcast.end() ? 0 : it->second;
    };
    if (const std::int64_t tiles = held(op.cfg.attr.kernel_broadcast)) return tiles;
    if (const std::int64_t tiles = held(op.cfg.attr.kernel_broadcast_per_t)) return 2 * tiles;
    const std::int64_t unit = 2 * std::max<std::int64_t>(use.clear_tiles, 1);
    const std::int64_t about_32_kib = 32768 / tile_bytes;
    const std::int64_t floor = k < op.input_buf_min_size_tiles.size() ? op.input_buf_min_size_tiles[k] : 0;
    return round_up(std::max({unit, about_32_kib, floor}), unit);
}

namespace {
struct L1Use {
    std::int64_t usable = 0, used = 0;
    std::string parts;
};
L1Use l1_use(const PlanOp& op, std::int64_t input_count, const ChipParams& chip) {
    L1Use l1;
    const std::int64_t total = op.ethernet ? chip.eth_l1_bytes : chip.l1_bytes;
    const std::int64_t reserved = op.ethernet ? chip.eth_l1_reserved : chip.l1_reserved;
    l1.usable = total - reserved - op.op->overlay_size;
    l1.used = output_buffer_tiles(*op.op, input_count) * op.out_tile_bytes;
    l1.parts = fmt::format("output {}", l1.used);
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
        const std::int64_t bytes = op.operands[k].l1_tiles * op.operands[k].tile_bytes;
        l1.parts += fmt::format(", input {} {}", k, bytes);
        l1.used += bytes;
    }
    return l1;
}
}  // namespace

bool fits_l1(const PlanOp& op, std::int64_t input_count, const ChipParams& chip) {
    const L1Use l1 = l1_use(op, input_count, chip);
    return l1.used <= l1.usable;
}

void check_l1(const PlanOp& op, std::int64_t input_count, const ChipParams& chip, Diagnostics& out) {
    const L1Use l1 = l1_use(op, input_count, chip);
    if (l1.used > l1.usable)
        out.error(op.op->cfg.loc, "op '{}' needs {} B of L1 per core ({}); {} leaves {} B", op.op->name(), l1.used,
                  l1.parts, chip.name, l1.usable);
}

}  // namespace tt
