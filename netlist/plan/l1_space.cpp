#include "netlist/plan/l1_space.hpp"

#include <algorithm>

namespace ttsim::impl {

static std::int64_t round_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

std::int64_t output_buffer_tiles(const Op& op) {
    const Blocking& out = op.cfg.out;
    // Untilized rows leave as they are computed: a row of ublocks per buffer, not a complete mblock.
    if (op.cfg.untilize) return op.buf_size_mb * out.mblock_n * out.ublock_tiles();
    return op.buf_size_mb * out.mblock_tiles();
}

bool packs_in_place(const OpConfig& op) {
    const OpAttributes& a = op.attr;
    if (op.untilize || op.gradient || op.intermed_df != op.out_df || a.m_k <= 1) return false;
    return op.type == "matmul" || op.type == "depthwise";
}

namespace {

/// Default bytes of an input buffer: 1024 cycles at 32 B.
constexpr std::int64_t default_bytes = 32768;

/// Converts bytes to tiles; unless the tile size divides them, it is rounded to the nearest power of two.
std::int64_t in_tiles(std::int64_t bytes, std::int64_t tile_bytes) {
    if (bytes % tile_bytes == 0) return bytes / tile_bytes;
    std::int64_t below = 1;
    while (2 * below <= tile_bytes) below *= 2;
    return bytes / (tile_bytes - below <= 2 * below - tile_bytes ? below : 2 * below);
}

/// The product inside a fused op that reads the input, and the operand index; null: none.
std::pair<const FusedSubOp*, std::size_t> product_of(const OpConfig& op, std::size_t input) {
    const FusedOperand wanted{FusedOperand::Kind::Input, static_cast<int>(input)};
    if (op.fused)
        for (const auto& schedule : op.fused->schedules)
            for (const FusedSubOp& sub : schedule)
                for (std::size_t k = 0; k < sub.inputs.size(); ++k)
                    if (sub.type == "matmul" && sub.inputs[k] == wanted) return {&sub, k};
    return {nullptr, 0};
}

/// Tiles of a streamed operand's buffer that do not depend on clear_tiles.
std::int64_t base_tiles(const Op& op, std::size_t k, std::int64_t clear, std::int64_t tile_bytes) {
    const OpConfig& cfg = op.cfg;
    if (cfg.attr.identity && (k == 0 || k == 2)) return 0;
    if (const auto [product, operand] = product_of(cfg, k); product) {
        if (operand == 1) return 2 * product->attributes.m_k * product->mblock_n * clear;
        if (product->mblock_n > 1) return 2 * product->attributes.m_k * clear;
    }
    const auto inputs = static_cast<std::int64_t>(op.inputs.size());
    const bool many = inputs > 3 && (cfg.fused || cfg.type == "splice");
    return in_tiles(many ? default_bytes * 3 / inputs : default_bytes, tile_bytes);
}

}  // namespace

std::int64_t input_buffer_tiles(const Op& op, std::size_t k, const OperandUse& use, std::int64_t tile_bytes) {
    const auto held = [&](const std::map<int, std::int64_t>& broadcast) -> std::int64_t {
        const auto it = broadcast.find(static_cast<int>(k));
        return it == broadcast.end() ? 0 : it->second;
    };
    const std::int64_t broadcast =
        std::max(held(op.cfg.attr.kernel_broadcast), held(op.cfg.attr.kernel_broadcast_per_t));
    const std::int64_t clear = broadcast > 0 ? broadcast : std::max<std::int64_t>(use.clear_tiles, 1);
    const std::int64_t base = broadcast > 0 ? 0 : base_tiles(op, k, clear, tile_bytes);
    const std::int64_t tiles = round_up(std::max(base, 2 * clear), 2 * clear);
    const std::int64_t floor = k < op.input_buf_min_size_tiles.size() ? op.input_buf_min_size_tiles[k] : 0;
    return floor > tiles ? round_up(floor, clear) : tiles;
}

std::vector<L1Buffer> l1_buffers(const PlanOp& op) {
    const std::int64_t output =
        op.output_streaming.scatter() ? op.output_streaming.buffer_tiles : output_buffer_tiles(*op.op);
    std::vector<L1Buffer> all{{"output", output * op.out_tile_bytes}};
    for (std::size_t k = 0; k < op.operands.size(); ++k)
        all.push_back({fmt::format("input {}", k),
                       (op.operands[k].l1_tiles + op.operands[k].held_tiles) * op.operands[k].tile_bytes});
    return all;
}

L1Use l1_use(const PlanOp& op, const ChipParams& chip) {
    const std::int64_t total = op.ethernet ? chip.eth_l1_bytes : chip.l1_bytes;
    const std::int64_t reserved = op.ethernet ? chip.eth_l1_reserved : chip.l1_reserved;
    L1Use use{0, total - reserved - op.op->overlay_size};
    for (const L1Buffer& buffer : l1_buffers(op)) use.needed += buffer.bytes;
    return use;
}

std::optional<L1Shortage> l1_shortage(const PlanOp& op, const ChipParams& chip) {
    const L1Use use = l1_use(op, chip);
    if (use.needed <= use.left) return {};
    L1Shortage l1{&op, use.needed, use.left, ""};
    std::string parts;
    for (const L1Buffer& buffer : l1_buffers(op))
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", buffer.name, buffer.bytes);
    l1.message = fmt::format("op '{}' needs {} B of L1 per core ({}); {} leaves {} B", op.op->name(), l1.needed, parts,
                             chip.name, l1.left);
    return l1;
}

}  // namespace ttsim::impl
