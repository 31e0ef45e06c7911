#include "compiler/backend/kernel_broadcasts.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "netlist/plan/tile_order.hpp"

namespace ttsim::impl::ir {

namespace {

bool repeats(const OperandTms& tms) {
    return std::any_of(tms.tms.begin(), tms.tms.end(), [](const Tm& tm) {
        return tm.kind == Tm::Kind::BroadcastR || tm.kind == Tm::Kind::BroadcastC || tm.kind == Tm::Kind::BroadcastZ;
    });
}

/// The shape that TMs convert to `after`; nullopt if it is not unique.
std::optional<TileShape> shape_before(TileShape after, const OperandTms& tms) {
    if (tms.pad_rt != 0 || tms.pad_ct != 0 || tms.unpad_rt != 0 || tms.unpad_ct != 0) return std::nullopt;
    for (auto tm = tms.tms.rbegin(); tm != tms.tms.rend(); ++tm) {
        if (tm->n < 1) return std::nullopt;
        switch (tm->kind) {
            case Tm::Kind::BroadcastR:
                after.rt /= tm->n;
                break;
            case Tm::Kind::BroadcastC:
                after.ct /= tm->n;
                break;
            case Tm::Kind::BroadcastZ:
                after.z /= tm->n;
                break;
            case Tm::Kind::HSlice:
                after = {after.z / tm->n, after.rt, after.ct * tm->n};
                break;
            case Tm::Kind::VSlice:
                after = {after.z / tm->n, after.rt * tm->n, after.ct};
                break;
            case Tm::Kind::HStack:
                after = {after.z * tm->n, after.rt, after.ct / tm->n};
                break;
            case Tm::Kind::VStack:
                after = {after.z * tm->n, after.rt / tm->n, after.ct};
                break;
            case Tm::Kind::Transpose:
                std::swap(after.rt, after.ct);
                break;
            case Tm::Kind::Pad:
                return std::nullopt;
        }
    }
    return after;
}

/// The tiles that a core reads, in order, by index in the tensor.
std::vector<std::int64_t> places(const TileOrder& order) {
    std::vector<std::int64_t> all;
    for (const TileSpan& span : order)
        for (std::int64_t i = 0; i < span.tiles; ++i) all.push_back(span.first + i);
    return all;
}

/// The shortest prefix whose repetition yields `all`.
std::int64_t period(const std::vector<std::int64_t>& all) {
    std::vector<std::size_t> border(all.size() + 1, 0);  // KMP failure function
    for (std::size_t i = 1, k = 0; i < all.size(); ++i) {
        while (k > 0 && all[i] != all[k]) k = border[k];
        if (all[i] == all[k]) ++k;
        border[i + 1] = k;
    }
    const std::size_t shortest = all.size() - border.back();
    return static_cast<std::int64_t>(all.size() % shortest == 0 ? shortest : all.size());
}

/// The unit of tiles that products of some chips read of an operand; a broadcast must be a multiple of it.
std::int64_t block_unit(const OpConfig& op, int operand, bool whole_blocks) {
    if (op.type != "matmul" || !whole_blocks) return 1;
    const Blocking& b = op.out;
    const bool tall = b.ublock_ct < b.ublock_rt;
    if (operand != (tall ? 0 : 1)) return 1;
    return tall ? b.ublock_rt * op.attr.u_kt : b.ublock_ct;
}

/// Whether an operand is read once per ublock and not by a product inside. Other kernels access their buffers
/// differently.
bool is_read_once(const OpConfig& op, int operand) {
    if (op.type == "reduce" || op.attr.identity) return false;
    if (!op.fused) return op.type != "fused_op";
    const FusedOperand wanted{FusedOperand::Kind::Input, operand};
    int uses = 0;
    for (const auto& schedule : op.fused->schedules)
        for (const FusedSubOp& sub : schedule) {
            const auto found = std::count(sub.inputs.begin(), sub.inputs.end(), wanted);
            if (found > 0 && sub.type == "matmul") return false;
            uses += static_cast<int>(found);
        }
    return uses == 1;
}

/// The common period of all cores; nullopt if nothing repeats.
std::optional<std::int64_t> common_period(const Op& op, std::size_t k) {
    const auto before = shape_before(op.cfg.in[k], op.tms[k]);
    constexpr std::int64_t most = std::int64_t{1} << 18;  // tiles of all cores; larger operands are skipped
    if (!before || op.cfg.in[k].tiles() > most) return std::nullopt;
    Blocking whole;
    whole.t = before->z;
    whole.mblock_m = before->rt;
    whole.mblock_n = before->ct;
    OpConfig cfg = op.cfg;
    cfg.attr.kernel_broadcast.clear();  // the orders must contain all reads
    std::int64_t common = 1;
    for (const TileOrder& order : tile_orders(cfg, k, op.tms[k], whole)) {
        const std::vector<std::int64_t> all = places(order);
        if (all.empty()) return std::nullopt;
        common = std::lcm(common, period(all));
        const auto taken = static_cast<std::int64_t>(all.size());
        if (common >= taken || taken % common != 0) return std::nullopt;
    }
    return common;
}

}  // namespace

std::map<int, std::int64_t> kernel_broadcasts(const Op& op, const std::vector<bool>& constant, bool whole_blocks) {
    std::map<int, std::int64_t> found;
    for (std::size_t k = 0; k < constant.size(); ++k) {
        const auto number = static_cast<int>(k);
        const bool of_user = k < op.input_buf_min_size_tiles.size() && op.input_buf_min_size_tiles[k] > 0;
        if (!constant[k] || of_user || !repeats(op.tms[k]) || !is_read_once(op.cfg, number)) continue;
        const auto repeated = common_period(op, k);
        if (!repeated) continue;
        const std::int64_t tiles = std::lcm(*repeated, block_unit(op.cfg, number, whole_blocks));
        std::int64_t share = 0;  // a core's tiles in all slices
        for (const TileRect& rect : ttsim::impl::find_op(op.cfg.type)->use(op.cfg, number, 0, 0).rects)
            share += rect.nr * rect.nc * op.cfg.in[k].z;
        if (share % tiles == 0 && 2 * tiles < share) found[number] = tiles;
    }
    return found;
}

bool broadcasts_match_order(const Op& op) {
    return std::all_of(op.cfg.attr.kernel_broadcast.begin(), op.cfg.attr.kernel_broadcast.end(), [&](const auto& held) {
        const auto repeated = common_period(op, static_cast<std::size_t>(held.first));
        return repeated && held.second % *repeated == 0;
    });
}

}  // namespace ttsim::impl::ir
