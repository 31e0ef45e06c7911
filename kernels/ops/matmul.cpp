// Dense matmul, and the op table entry of both matmuls.
#include "kernels/ops/matmul.hpp"

#include "kernels/ops/attributes.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/product_checks.hpp"
#include "kernels/ops/products.hpp"

namespace ttsim::impl {
namespace {

constexpr AttrDef matmul_attributes[] = {
    attr_m_k,
    attr_u_kt,
    attr_bias,
    {.name = "accumulate",
     .kind = AttrKind::Bool,
     .default_text = "false",
     .meaning = "sums groups of z input slices into one output slice",
     .place = &at<&OpAttributes::accumulate>},
    {.name = "z",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "input slices per output slice of accumulate",
     .place = &at<&OpAttributes::z>},
    attr_l1_acc,
    {.name = "sfpu_op",
     .kind = AttrKind::Word,
     .default_text = "invalid",
     .meaning = "activation applied to the result, after the bias",
     .words = "gelu|invalid",
     .place = &enum_field<&OpAttributes::sfpu_gelu, true, false>},
    attr_min_buffer_input,
    attr_requant,
    attr_dequant,
    attr_zero_point,
    attr_approximate_mode,
    attr_sfpu_execution_thread,
    {.name = "identity",
     .kind = AttrKind::Bool,
     .default_text = "false",
     .meaning = "sparse matmul: input 0 lists the distinct sparse tiles, input 2 is the encoding of their positions",
     .place = &at<&OpAttributes::identity>},
    {.name = "num_index_tiles",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "encoding tiles of one core (identity)",
     .place = &at<&OpAttributes::num_index_tiles>},
    {.name = "num_sparse_tiles",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "sparse tiles of one core (identity)",
     .place = &at<&OpAttributes::num_sparse_tiles>},
    {.name = "num_columns",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "unused; old encoding",
     .place = &at<&OpAttributes::num_columns>},
    {.name = "sparse_tile_ptr_bits",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "bits of an encoding entry for the index of the sparse tile (identity)",
     .high = 16,
     .place = &at<&OpAttributes::sparse_tile_ptr_bits>},
    {.name = "sparse_ublock_idx_bits",
     .kind = AttrKind::Integer,
     .default_text = "-1",
     .meaning = "bits of an encoding block for the output ublock row; -1: as sparse_tile_ptr_bits (identity)",
     .low = -1,
     .high = 16,
     .place = &at<&OpAttributes::sparse_ublock_idx_bits>},
    {.name = "indices_len",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "unused; old encoding",
     .place = &at<&OpAttributes::indices_len>},
    {.name = "fracture_factor",
     .kind = AttrKind::Integer,
     .default_text = "1",
     .meaning = "parts inputs 0 and 2 are cut into along columns, each for a share of the grid columns (identity)",
     .low = 1,
     .place = &at<&OpAttributes::fracture_factor>},
    {.name = "starting_row",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "unused; old encoding",
     .place = &at<&OpAttributes::starting_row>},
    {.name = "act_t",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "slices of the activations, input 1; 0: as many as the output has (identity)",
     .place = &at<&OpAttributes::act_t>},
    {.name = "num_nz_strips",
     .kind = AttrKind::List,
     .default_text = "[]",
     .meaning = "strips with non-zero blocks, per core; a hint for time estimates (identity)",
     .place = &at<&OpAttributes::num_nz_strips>},
};

void matmul_check(const OpConfig& op, const ChipFeatures& /*chip*/, Diagnostics& out) {
    if (!operands_complete(op)) return;
    const auto& a = op.attr;
    if (a.identity) return check_sparse(op, out);
    check_inner_blocks(op, out);
    const auto want = op.out.shape();
    const auto group = slices_per_output(op);
    if (a.accumulate && a.z < 1)
        out.error(op.loc, "op '{}': accumulate needs z, the number of input slices per output slice, of at least 1",
                  op.name);
    const auto inner = a.m_k * a.u_kt;
    expect_shape(op, 0, {want.z * group, want.rt, inner}, "t (times z) x output rows x m_k*u_kt", out);
    expect_shape(op, 1, {want.z * group, inner, want.ct}, "t (times z) x m_k*u_kt x output columns", out);
    check_product_tiles(op, out);
    check_product_rules(op, 2, out);
}

Tensor matmul_golden(const OpConfig& unpadded_op, std::span<const Tensor* const> unpadded_in) {
    const GoldenPadded padded(unpadded_op, unpadded_in);
    const OpConfig& op = padded.op;
    const auto& in = padded.in;
    if (op.attr.identity) return golden_sparse(op, in);
    Tensor sums(op.out.shape(), op.tile);
    const auto group = in[0]->z / sums.z;
    for (std::int64_t z = 0; z < in[0]->z; ++z)
        golden_multiply(in[0]->slice(z), in[1]->slice(z), sums.slice(z / group));
    golden_epilogue(op, in, 2, sums);
    return sums;
}

OperandUse matmul_use(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) {
    const auto& a = op.attr;
    if (a.identity) return use_sparse(op, operand, core_r, core_c);
    if (operand >= 2) return own_rect_at_end(op, core_r, core_c);
    const auto& out = op.out;
    const auto inner = a.m_k * a.u_kt;
    OperandUse use;
    use.slices = slices_per_output(op);
    use.count = a.m_k;
    const bool one_ublock = a.min_buffer_input == operand;
    if (operand == 0) {
        use.rects = {{core_r * out.core_rt(), 0, out.core_rt(), inner}};
        use.chunks = OperandUse::Chunks::KColumns;
        use.parts = one_ublock ? out.mblock_m : 1;
        use.clear_tiles = (one_ublock ? 1 : out.mblock_m) * out.ublock_rt * a.u_kt;
    } else {
        use.rects = {{0, core_c * out.core_ct(), inner, out.core_ct()}};
        use.chunks = OperandUse::Chunks::KRows;
        use.parts = one_ublock ? out.mblock_n : 1;
        use.clear_tiles = (one_ublock ? 1 : out.mblock_n) * out.ublock_ct * a.u_kt;
    }
    return use;
}

void matmul_prepare(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    if (op.attr.identity) return prepare_sparse(op, operand, numerics, values);
    prepare_product(op, operand, numerics, values);
}

void matmul_block(const BlockArgs& unpadded) {
    const PaddedArgs padded(unpadded);
    const BlockArgs& args = padded.get();
    const OpConfig& op = args.op;
    if (op.attr.identity) return block_sparse(args);
    const auto& in0 = args.in[0].slices;
    const auto& in1 = args.in[1].slices;
    if (args.numerics == Numerics::Float32) {
        DoubleSums sums(args.out);
        for (std::size_t z = 0; z < in0.size(); ++z) sums.add_product(in0[z], in1[z]);
        sums.store();
        round_dest(op, args.numerics, args.out);
        return product_epilogue(args, 2);
    }
    const auto blocks = op.attr.m_k;
    const auto step = in0[0].cols / blocks;
    multiply_with_fallback(args, [&](Numerics numerics) {
        PartialSums sums(args, numerics);
        for (std::size_t z = 0; z < in0.size(); ++z)
            for (std::int64_t k = 0; k < blocks; ++k)
                sums.add([&](MatrixView to, bool accumulate) {
                    multiply(op, numerics, in0[z].sub(0, k * step, in0[z].rows, step),
                             in1[z].sub(k * step, 0, step, in1[z].cols), to, accumulate);
                });
        return sums.all_in_range();
    });
    product_epilogue(args, 2);
}

}  // namespace

extern const OpDef op_matmul;
const OpDef op_matmul{
    .name = "matmul",
    .summary = "matrix product per slice, followed by bias, requantization or gelu; with identity a sparse product",
    .op_class = OpClass::Matmul,
    .min_inputs = 2,
    .max_inputs = 4,
    .attributes = matmul_attributes,
    .check = matmul_check,
    .golden = matmul_golden,
    .use = matmul_use,
    .prepare = matmul_prepare,
    .block = matmul_block,
    .by_slice = true,
    .integer_capable = true,
    .sfpu = false,
    .gradient_on_all_chips = true,
    .gradient_if_any_op = true,
    .fusable = true,
    .bit_true = true,
    .keeps_sign = true,
};

}  // namespace ttsim::impl
