// Depthwise product: each output tile column has its own column of in1. m_k columns of in0 are one output width apart:
// out[r][c] = sum over b < m_k of in0[r][c + C*b] x in1[b][c], C = output tile columns.
#include "kernels/ops/attributes.hpp"
#include "kernels/ops/matmul.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/product_checks.hpp"
#include "kernels/ops/products.hpp"

namespace ttsim::impl {
namespace {

constexpr AttrDef depthwise_attributes[] = {
    attr_m_k,     attr_u_kt,    attr_bias,       attr_l1_acc,           attr_min_buffer_input,
    attr_requant, attr_dequant, attr_zero_point, attr_approximate_mode, attr_sfpu_execution_thread,
};

void depthwise_check(const OpConfig& op, const ChipFeatures& /*chip*/, Diagnostics& out) {
    if (!operands_complete(op)) return;
    const auto& a = op.attr;
    check_inner_blocks(op, out);
    if (a.u_kt > 1) out.error(op.loc, "op '{}': u_kt of a depthwise op must be 1, not {}", op.name, a.u_kt);
    const auto want = op.out.shape();
    expect_shape(op, 0, {want.z, want.rt, want.ct * a.m_k}, "t x output rows x m_k times the output columns", out);
    expect_shape(op, 1, {want.z, a.m_k, want.ct}, "t x m_k x output columns", out);
    check_product_tiles(op, out);
    check_product_rules(op, 2, out);
}

Tensor depthwise_golden(const OpConfig& op, std::span<const Tensor* const> in) {
    Tensor sums(op.out.shape(), op.tile);
    const auto columns = op.out.shape().ct;
    const std::int64_t w0 = op.in_tile[0].w, w = op.tile.w, h1 = op.in_tile[1].h;
    for (std::int64_t z = 0; z < sums.z; ++z)
        for (std::int64_t b = 0; b < op.attr.m_k; ++b)
            for (std::int64_t c = 0; c < columns; ++c)
                golden_multiply(in[0]->slice(z).sub(0, (c + columns * b) * w0, sums.rows, w0),
                                in[1]->slice(z).sub(b * h1, c * w, h1, w), sums.slice(z).sub(0, c * w, sums.rows, w));
    golden_epilogue(op, in, 2, sums);
    return sums;
}

OperandUse depthwise_use(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) {
    if (operand >= 2) return own_rect_at_end(op, core_r, core_c);
    const auto own = own_rect(op, core_r, core_c);
    const auto m_k = op.attr.m_k;
    OperandUse use;
    use.count = m_k;
    const bool one_ublock = op.attr.min_buffer_input == operand;
    if (operand == 0) {
        const auto columns = op.out.shape().ct;
        for (std::int64_t b = 0; b < m_k; ++b) use.rects.push_back({own.r0, columns * b + own.c0, own.nr, own.nc});
        use.chunks = OperandUse::Chunks::KColumns;
        use.parts = one_ublock ? op.out.mblock_m : 1;
        use.clear_tiles = (one_ublock ? 1 : op.out.mblock_m) * op.out.ublock_rt * op.attr.u_kt;
    } else {
        use.rects = {{0, own.c0, m_k, own.nc}};
        use.chunks = OperandUse::Chunks::KRows;
        use.parts = one_ublock ? op.out.mblock_n : 1;
        use.clear_tiles = (one_ublock ? 1 : op.out.mblock_n) * op.out.ublock_ct * op.attr.u_kt;
    }
    return use;
}

void depthwise_block(const BlockArgs& args) {
    const OpConfig& op = args.op;
    const auto in0 = args.in[0].slices[0];
    const auto in1 = args.in[1].slices[0];
    const std::int64_t w0 = op.in_tile[0].w, w = op.tile.w, h1 = op.in_tile[1].h;
    multiply_with_fallback(args, [&](Numerics numerics) {
        PartialSums sums(args, numerics);
        for (std::int64_t b = 0; b < op.attr.m_k; ++b)
            sums.add([&](MatrixView to, bool accumulate) {
                for (std::int64_t c = 0; c < op.out.core_ct(); ++c)
                    multiply(op, numerics, in0.sub(0, (b * op.out.core_ct() + c) * w0, in0.rows, w0),
                             in1.sub(b * h1, c * w, h1, w), to.sub(0, c * w, to.rows, w), accumulate);
            });
        return sums.all_in_range();
    });
    product_epilogue(args, 2);
}

}  // namespace

extern const OpDef op_depthwise;
const OpDef op_depthwise{
    .name = "depthwise",
    .summary = "tile columns multiplied by their own column of weights, summed over m_k groups of columns",
    .op_class = OpClass::Depthwise,
    .min_inputs = 2,
    .max_inputs = 4,
    .attributes = depthwise_attributes,
    .check = depthwise_check,
    .golden = depthwise_golden,
    .use = depthwise_use,
    .prepare = prepare_product,
    .block = depthwise_block,
    .integer_capable = true,
    .bit_true = true,
    .keeps_sign = true,
};

}  // namespace ttsim::impl
