// topk: sorts each row of elements of a grid column and keeps the k largest, or their indices. Equal values keep their
// column order (the chip's sorting network orders them differently; values agree). kreduce: the row already consists of
// sorted groups of k, which does not change the result.
#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/ops/attributes.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

static void topk_check(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    const Blocking& b = op.out;
    const std::int64_t k = op.attr.k;
    if (k < 1 || k > 64 || !std::has_single_bit(static_cast<std::uint64_t>(k))) {
        out.error(op.loc, "k of '{}' is {}; it must be a power of two in 1..64", op.name, k);
    } else if (b.core_ct() != (k + op.tile.w - 1) / op.tile.w) {
        out.error(op.loc, "a core of '{}' makes {} tile columns; k {} needs {}", op.name, b.core_ct(), k,
                  (k + op.tile.w - 1) / op.tile.w);
    }
    if (op.attr.u_kt < 1) out.error(op.loc, "u_kt of '{}' is {}; it must be 1 or more", op.name, op.attr.u_kt);
    const bool indices_out = op.attr.sort == TopkSort::ArgMax;
    if (indices_out != (op.out_df == DataFormat::UInt16)) {
        out.error(op.loc, "out_df of '{}' is {}; with sort {} it must {}be UInt16", op.name, to_string(op.out_df),
                  indices_out ? "argmax" : "max", indices_out ? "" : "not ");
    }
    if (!operands_complete(op)) return;
    const TileShape in = op.in[0];
    if (op.in_df[1] != DataFormat::UInt16) {
        out.error(op.loc, "in_df[1] of '{}', the indices, is {}; it must be UInt16", op.name, to_string(op.in_df[1]));
    }
    if (op.in_df[0] == DataFormat::UInt16) {
        out.error(op.loc, "in_df[0] of '{}', the values, is UInt16; it must be a float format", op.name);
    }
    if (op.in[1] != in) {
        out.error(op.loc, "inputs of '{}' have {} and {} tiles; topk needs one index for every value", op.name,
                  shape_text(in), shape_text(op.in[1]));
    }
    check_same_tile_dim(op, out);
    if (in.z != b.t || in.rt != b.grid_r * b.core_rt()) {
        out.error(op.loc, "input 0 of '{}' has {} tiles; topk needs the output's {} slices of {} rows", op.name,
                  shape_text(in), b.t, b.grid_r * b.core_rt());
    }
    if (in.ct % b.grid_c != 0) {
        out.error(op.loc, "input 0 of '{}' is {} tiles wide, which {} grid columns cannot share", op.name, in.ct,
                  b.grid_c);
    } else if (in.ct / b.grid_c * op.in_tile[0].w < k) {
        out.error(op.loc, "a core of '{}' sorts {} elements per row; k {} is larger", op.name,
                  in.ct / b.grid_c * op.in_tile[0].w, k);
    } else if (op.attr.m_k > 0 && op.attr.m_k * op.attr.u_kt != in.ct / b.grid_c) {
        out.error(op.loc, "m_k {} times u_kt {} of '{}' must be the {} tiles of a line on one core", op.attr.m_k,
                  op.attr.u_kt, op.name, in.ct / b.grid_c);
    }
}

static OperandUse topk_use(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) {
    const std::int64_t cols = op.in[static_cast<std::size_t>(operand)].ct / op.out.grid_c;
    OperandUse use;
    use.rects = {{core_r * op.out.core_rt(), core_c * cols, op.out.core_rt(), cols}};
    use.chunks = OperandUse::Chunks::One;
    use.clear_tiles = op.out.ublock_rt * std::max<std::int64_t>(op.attr.u_kt, 1);
    return use;
}

/// Rounds values as Dst does; indices are unchanged.
static void topk_prepare(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    if (operand == 0 && rounds_to_formats(numerics)) unpack_to_src(op.in_df[0], op.acc_df, values);
}

// --- golden: a stable sort of column indices ---

static Tensor topk_golden(const OpConfig& op, std::span<const Tensor* const> in) {
    Tensor out(op.out.shape(), op.tile);
    const std::int64_t line = in[0]->cols / op.out.grid_c, out_columns = out.cols / op.out.grid_c;
    const std::int64_t k_kept = std::min({op.attr.k, line, out_columns});
    std::vector<std::int64_t> columns(static_cast<std::size_t>(line));
    for (std::int64_t z = 0; z < out.z; ++z) {
        const ConstMatrixView values = in[0]->slice(z), indices = in[1]->slice(z);
        for (std::int64_t r = 0; r < out.rows; ++r) {
            for (std::int64_t j = 0; j < op.out.grid_c; ++j) {
                for (std::int64_t c = 0; c < line; ++c) columns[static_cast<std::size_t>(c)] = j * line + c;
                std::stable_sort(columns.begin(), columns.end(), [&](std::int64_t a, std::int64_t b) {
                    const float x = values.at(r, a), y = values.at(r, b);
                    return x > y || (x == x && y != y);  // NaN last
                });
                for (std::int64_t i = 0; i < k_kept; ++i) {
                    const std::int64_t from = columns[static_cast<std::size_t>(i)];
                    out.slice(z).at(r, j * out_columns + i) =
                        (op.attr.sort == TopkSort::Max ? values : indices).at(r, from);
                }
            }
        }
    }
    return out;
}

// --- block: integer keys with the value in the high bits and the column in the low bits, compared at once ---

/// Larger values have smaller keys; NaN has the largest key.
static std::uint64_t sort_key(float value, std::uint32_t column) {
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);  // -0 becomes +0
    std::uint32_t rank = (bits >> 31) != 0 ? bits : ~bits & 0x7fffffffU;
    if (value != value) rank = 0xffffffffU;
    return (std::uint64_t{rank} << 32) | column;
}

static void topk_block(const BlockArgs& args) {
    const ConstMatrixView values = args.in[0].slices[0], indices = args.in[1].slices[0];
    const bool want_values = args.op.attr.sort == TopkSort::Max;
    const ConstMatrixView& source = want_values ? values : indices;
    const auto k_kept = std::min({args.op.attr.k, values.cols, args.out.cols});
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(values.cols));
    for (std::int64_t r = 0; r < args.out.rows; ++r) {
        for (std::size_t c = 0; c < keys.size(); ++c)
            keys[c] = sort_key(values.row(r)[c], static_cast<std::uint32_t>(c));
        std::partial_sort(keys.begin(), keys.begin() + k_kept, keys.end());
        for (std::int64_t i = 0; i < k_kept; ++i) {
            args.out.row(r)[i] = source.row(r)[keys[static_cast<std::size_t>(i)] & 0xffffffffU];
        }
    }
    if (rounds_to_formats(args.numerics) && want_values) round_to_dest(args.op.acc_df, args.out);
}

static constexpr AttrDef topk_attributes[] = {
    attr_m_k,
    attr_u_kt,
    {.name = "k",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "number of elements to keep, a power of two (required)",
     .low = 1,
     .high = 64,
     .place = &at<&OpAttributes::k>},
    {.name = "sort",
     .kind = AttrKind::Word,
     .default_text = "max",
     .meaning = "max returns the values, argmax their indices",
     .words = "max|argmax",
     .place = &enum_field<&OpAttributes::sort, TopkSort::Max, TopkSort::ArgMax>},
    {.name = "kreduce",
     .kind = AttrKind::Bool,
     .default_text = "false",
     .meaning = "second stage: the line consists of sorted groups of k",
     .place = &at<&OpAttributes::kreduce>}};

extern const OpDef op_topk{
    .name = "topk",
    .summary = "The k largest elements of every line of a grid column (in0), or their indices (in1)",
    .op_class = OpClass::SfpuBinary,
    .min_inputs = 2,
    .max_inputs = 2,
    .attributes = topk_attributes,
    .check = topk_check,
    .golden = topk_golden,
    .use = topk_use,
    .prepare = topk_prepare,
    .block = topk_block,
    .integer_capable = true};

}  // namespace ttsim::impl
