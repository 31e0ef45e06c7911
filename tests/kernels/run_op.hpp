// Runs an op's block function for every core and slice on whole tensors, as the simulator would, for tests.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/ops/integer_bits.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl::testing {

/// Wormhole B0's features.
inline ChipFeatures wormhole_features() {
    ChipFeatures f;
    f.fp32_dest = f.tiny_tiles = f.l1_accumulate = f.stochastic_rounding = f.transpose_binary = true;
    f.sfpu_on_pack_thread = f.gradient_any_op = f.dram_ports = f.cross_graph_ops = true;
    f.dest_any_operand = f.broadcast_blocks = f.untilize_integers = true;
    return f;
}
inline ChipFeatures grayskull_features() { return {}; }

/// An op whose operands all have the output's shape.
inline OpConfig eltwise_config(const std::string& type, const Blocking& blocking = {}, TileDim tile = {}) {
    OpConfig op;
    op.type = type;
    op.name = "op0";
    op.loc = {"test.yaml", 3, 5};
    op.out = blocking;
    op.tile = tile;
    const auto count = static_cast<std::size_t>(operand_count(op));
    op.in.assign(count, blocking.shape());
    op.in_tile.assign(count, tile);
    op.in_df.assign(count, DataFormat::Float16_b);
    return op;
}

inline Tensor filled(TileShape shape, TileDim dim, float value) {
    Tensor t(shape, dim);
    std::fill(t.data.begin(), t.data.end(), value);
    return t;
}

inline Tensor random_tensor(TileShape shape, TileDim dim, float low, float high, unsigned seed) {
    Tensor t(shape, dim);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> draw(low, high);
    for (float& x : t.data) x = draw(generator);
    return t;
}

/// The slices a core sees of an operand: its rects side by side.
inline std::vector<Tensor> assemble(const OpConfig& op, int k, const Tensor& whole, const OperandUse& use,
                                    Numerics numerics, std::int64_t slice) {
    const TileDim dim = op.in_tile[static_cast<std::size_t>(k)];
    const std::int64_t first = use.whole_input ? 0 : slice * use.slices;
    const std::int64_t count = use.whole_input ? whole.z : use.slices;
    std::vector<Tensor> slices;
    for (std::int64_t z = first; z < first + count; ++z) {
        std::int64_t cols = 0;
        for (const TileRect& rect : use.rects) {
            REQUIRE((rect.r0 >= 0 && rect.c0 >= 0 && rect.nr > 0 && rect.nc > 0));
            REQUIRE(((rect.r0 + rect.nr) * dim.h <= whole.rows && (rect.c0 + rect.nc) * dim.w <= whole.cols));
            cols += rect.nc * dim.w;
        }
        Tensor part(1, use.rects.front().nr * dim.h, cols);
        std::int64_t at = 0;
        for (const TileRect& rect : use.rects) {
            for (std::int64_t r = 0; r < part.rows; ++r) {
                std::copy_n(&whole.slice(z).at(rect.r0 * dim.h + r, rect.c0 * dim.w), rect.nc * dim.w,
                            &part.slice(0).at(r, at));
            }
            at += rect.nc * dim.w;
        }
        // as between ops; the tests give and get floats
        if (is_stored_as_bits(op.in_df[static_cast<std::size_t>(k)])) floats_to_integers(part);
        prepare_operand(op, k, numerics, part.slice(0));
        slices.push_back(std::move(part));
    }
    return slices;
}

inline Tensor run_block(const OpConfig& op, const std::vector<const Tensor*>& in, Numerics numerics = Numerics::Float32,
                        const Tensor* previous = nullptr, bool pack = true) {
    const OpDef& def = *find_op(op.type);
    Tensor out(op.out.shape(), op.tile);
    const std::int64_t h = op.out.core_rt() * op.tile.h, w = op.out.core_ct() * op.tile.w;
    for (std::int64_t z = 0; z < op.out.t; ++z) {
        for (std::int64_t core = 0; core < op.out.cores(); ++core) {
            const std::int64_t i = core / op.out.grid_c, j = core % op.out.grid_c;
            std::vector<std::vector<Tensor>> held;
            std::vector<std::vector<ConstMatrixView>> views(in.size());
            std::vector<BlockOperand> operands;
            for (std::size_t k = 0; k < in.size(); ++k) {
                const int n = static_cast<int>(k);
                held.push_back(assemble(op, n, *in[k], def.use(op, n, i, j), numerics, z));
                for (const Tensor& t : held.back()) views[k].push_back(t.slice(0));
                operands.push_back({views[k]});
            }
            BlockArgs args{.op = op,
                           .numerics = numerics,
                           .core_r = i,
                           .core_c = j,
                           .slice = z,
                           .input = op.random.input,
                           .in = operands,
                           .previous = {},
                           .out = out.slice(z).sub(i * h, j * w, h, w)};
            if (previous != nullptr) args.previous = previous->slice(z).sub(i * h, j * w, h, w);
            def.block(args);
            if (pack) pack_result(args);
        }
    }
    if (is_stored_as_bits(op.out_df) && (pack || keeps_integers(op))) integers_to_floats(out);
    return out;
}

/// |a - b| <= relative * max(|a|, |b|) + absolute everywhere; NaN equals NaN.
inline bool all_close(const Tensor& a, const Tensor& b, double relative = 1e-5, double absolute = 1e-6) {
    if (a.data.size() != b.data.size()) return false;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        const double x = a.data[i], y = b.data[i];
        if ((std::isnan(x) && std::isnan(y)) || x == y) continue;
        if (!(std::fabs(x - y) <= absolute + relative * std::max(std::fabs(x), std::fabs(y)))) {
            UNSCOPED_INFO("element " << i << ": " << x << " and " << y);
            return false;
        }
    }
    return true;
}

/// What check_common() and the op's own check say, one message a line.
inline std::string complaints(const OpConfig& op, const ChipFeatures& chip = wormhole_features()) {
    Diagnostics out;
    check_common(op, chip, out);
    find_op(op.type)->check(op, chip, out);
    std::string text;
    for (const auto& item : out.items()) text += item.message + "\n";
    return text;
}

/// Several ways to cut a tensor, both orders.
inline std::vector<Blocking> blockings() {
    return {{},
            {.grid_r = 2, .grid_c = 3, .mblock_m = 1, .mblock_n = 2, .ublock_rt = 2, .ublock_ct = 1, .t = 2},
            {.grid_r = 1,
             .grid_c = 2,
             .mblock_m = 3,
             .mblock_n = 1,
             .ublock_rt = 1,
             .ublock_ct = 4,
             .t = 3,
             .order = UblockOrder::Column}};
}

}  // namespace ttsim::impl::testing
