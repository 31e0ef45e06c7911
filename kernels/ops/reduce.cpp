// Maximum over columns (dim c), rows (r), both (rc) or groups of slices (z). Within a tile the result of c, r and rc is
// in column 0, row 0 or element (0, 0); the rest of the tile is 0.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/exact/tile.hpp"
#include "kernels/ops/attributes.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/product_checks.hpp"
#include "kernels/ops/products.hpp"

namespace ttsim::impl {
namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

constexpr AttrDef reduce_attributes[] = {
    {.name = "dim",
     .kind = AttrKind::Word,
     .default_text = "",
     .meaning = "what is reduced: rows (r), columns (c), both (rc) or groups of slices (z)",
     .words = "r|c|rc|z",
     .place = &enum_field<&OpAttributes::reduce_dim, ReduceDim::R, ReduceDim::C, ReduceDim::RC, ReduceDim::Z>},
    {.name = "type",
     .kind = AttrKind::Word,
     .default_text = "max",
     .meaning = "operation; the chip supports max only",
     .words = "max|sum|avg",
     .place = &at<&OpAttributes::reduce_type>},
    {.name = "z",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "slices per group of dim z",
     .place = &at<&OpAttributes::z>},
    attr_m_k,
    attr_u_kt,
};

bool reduces_rows(const OpConfig& op) {
    return op.attr.reduce_dim == ReduceDim::R || op.attr.reduce_dim == ReduceDim::RC;
}
bool reduces_columns(const OpConfig& op) {
    return op.attr.reduce_dim == ReduceDim::C || op.attr.reduce_dim == ReduceDim::RC;
}

void check_slices(const OpConfig& op, Diagnostics& out) {
    const auto want = op.out.shape();
    if (op.attr.z < 1)
        return out.error(op.loc, "op '{}': reduce over z needs attribute z, the slices of a group, of at least 1",
                         op.name);
    expect_shape(op, 0, {want.z * op.attr.z, want.rt, want.ct}, "t*z x output rows x output columns", out);
    if (op.in_df[0] != op.intermed_df || op.in_df[0] != op.out_df)
        out.error(op.loc, "op '{}': reduce over z needs in_df, intermed_df and out_df equal, they are {}, {} and {}",
                  op.name, to_string(op.in_df[0]), to_string(op.intermed_df), to_string(op.out_df));
}

void check_tiles(const OpConfig& op, Diagnostics& out) {
    check_inner_blocks(op, out);
    const auto want = op.out.shape();
    const auto inner = op.attr.m_k * op.attr.u_kt;
    const bool rows = reduces_rows(op), columns = reduces_columns(op);
    if ((rows && want.rt != 1) || (columns && want.ct != 1))
        return out.error(op.loc, "op '{}': the output has {} tiles, a reduced dimension must be 1", op.name,
                         shape_text(want));
    if (rows && columns) {
        if (op.in[0].z != want.z)
            out.error(op.loc, "op '{}': input 0 has {} slices, must have {}", op.name, op.in[0].z, want.z);
    } else {
        expect_shape(op, 0, rows ? TileShape{want.z, inner, want.ct} : TileShape{want.z, want.rt, inner},
                     rows ? "t x m_k*u_kt x output columns" : "t x output rows x m_k*u_kt", out);
    }
}

void reduce_check(const OpConfig& op, const ChipFeatures& /*chip*/, Diagnostics& out) {
    if (!operands_complete(op)) return;
    if (op.attr.reduce_type != "max")
        out.error(op.loc, "op '{}': reduce type '{}' is not possible, only max", op.name, op.attr.reduce_type);
    if (op.attr.reduce_dim == ReduceDim::None)
        return out.error(op.loc, "op '{}': reduce needs attribute dim: r, c, rc or z", op.name);
    if (op.out.order != UblockOrder::Row) out.error(op.loc, "op '{}': reduce needs ublock_order r, not c", op.name);
    if (info(op.in_df[0]).family == FormatFamily::A && op.acc_df == DataFormat::Float32)
        out.error(op.loc, "op '{}': reduce of {} cannot use acc_df Float32; use Float16", op.name,
                  to_string(op.in_df[0]));
    if (op.attr.reduce_dim == ReduceDim::Z)
        check_slices(op, out);
    else
        check_tiles(op, out);
}

Tensor reduce_golden(const OpConfig& op, std::span<const Tensor* const> in) {
    const auto& x = *in[0];
    Tensor out(op.out.shape(), op.tile);
    Tensor maxima(out.z, out.rows, out.cols, lowest);
    const auto group = op.attr.reduce_dim == ReduceDim::Z ? op.attr.z : 1;
    for (std::int64_t z = 0; z < x.z; ++z)
        for (std::int64_t r = 0; r < x.rows; ++r)
            for (std::int64_t c = 0; c < x.cols; ++c) {
                float& max_element = maxima.slice(z / group).at(reduces_rows(op) ? 0 : r, reduces_columns(op) ? 0 : c);
                max_element = std::max(max_element, x.slice(z).at(r, c));
            }
    for (std::size_t i = 0; i < out.data.size(); ++i)
        if (maxima.data[i] != lowest) out.data[i] = maxima.data[i];
    return out;
}

OperandUse reduce_use(const OpConfig& op, int /*operand*/, std::int64_t core_r, std::int64_t core_c) {
    const auto own = own_rect(op, core_r, core_c);
    const auto& in = op.in[0];
    OperandUse use;
    use.count = op.attr.m_k;
    switch (op.attr.reduce_dim) {
        case ReduceDim::C:
            use.rects = {{own.r0, 0, own.nr, in.ct}};
            use.chunks = OperandUse::Chunks::KColumns;
            use.clear_tiles = op.out.ublock_rt * op.attr.u_kt;
            break;
        case ReduceDim::R:
            use.rects = {{0, own.c0, in.rt, own.nc}};
            use.chunks = OperandUse::Chunks::KRows;
            use.clear_tiles = op.out.ublock_ct * op.attr.u_kt;
            break;
        case ReduceDim::RC:
            use.rects = {{0, 0, in.rt, in.ct}};
            use.count = 1;
            use.clear_tiles = op.attr.u_kt;
            break;
        case ReduceDim::Z:
        case ReduceDim::None:
            use.rects = {own};
            use.slices = std::max<std::int64_t>(op.attr.z, 1);
            use.chunks = OperandUse::Chunks::Ublocks;
            use.chunk_rt = op.out.ublock_rt;
            use.chunk_ct = op.out.ublock_ct;
            use.count = 1;
            use.clear_tiles = op.out.ublock_tiles();
            break;
    }
    return use;
}

/// Reduces tile by tile with the pool instruction. Row results pass SrcB, which holds 16 bits of a 32-bit Dst.
void pool(const BlockArgs& args) {
    using exact::ReduceAlong;
    const OpConfig& op = args.op;
    const ConstMatrixView in = args.in[0].slices[0];
    const TileDim dim = op.in_tile[0];
    const bool rows = reduces_rows(op), columns = reduces_columns(op);
    const auto along = rows && columns ? ReduceAlong::Scalar : rows ? ReduceAlong::Column : ReduceAlong::Row;
    constexpr std::array<float, 16> ones{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const std::int64_t kept_rt = rows ? 1 : in.rows / dim.h, kept_ct = columns ? 1 : in.cols / dim.w;
    for (std::int64_t i = 0; i < kept_rt; ++i)
        for (std::int64_t j = 0; j < kept_ct; ++j) {
            exact::TileReducer reducer(exact::fpu_config(op.in_df[0], op.acc_df, op.chip), exact::Reduction::Max, along,
                                       phases(op.fidelity), ones);
            for (std::int64_t r = rows ? 0 : i; r < (rows ? in.rows / dim.h : i + 1); ++r)
                for (std::int64_t c = columns ? 0 : j; c < (columns ? in.cols / dim.w : j + 1); ++c)
                    reducer.add(in.sub(r * dim.h, c * dim.w, dim.h, dim.w));
            const auto result = reducer.result();
            for (std::size_t n = 0; n < result.size(); ++n) {
                const auto at = static_cast<std::int64_t>(n);
                args.out.at(i * op.tile.h + (rows ? 0 : at), j * op.tile.w + (columns ? 0 : at)) = result[n];
            }
        }
}

void reduce_block(const BlockArgs& args) {
    const bool pools = args.op.attr.reduce_dim != ReduceDim::Z && !is_integer(args.op.acc_df);
    if (rounds_to_formats(args.numerics) && pools) return pool(args);
    const auto& slices = args.in[0].slices;
    const auto& out = args.out;
    const std::int64_t row_step = reduces_rows(args.op) ? 0 : 1;
    const std::int64_t col_step = reduces_columns(args.op) ? 0 : 1;
    // The first element of a result initializes it; later ones are compared with it.
    for (std::size_t z = 0; z < slices.size(); ++z)
        for (std::int64_t r = 0; r < slices[z].rows; ++r) {
            float* best = out.row(r * row_step);
            const float* x = slices[z].row(r);
            const bool first_row = z == 0 && (row_step == 1 || r == 0);
            for (std::int64_t c = 0; c < slices[z].cols; ++c) {
                float& result_element = best[c * col_step];
                result_element = first_row && (col_step == 1 || c == 0) ? x[c] : std::max(result_element, x[c]);
            }
        }
    round_dest(args.op, args.numerics, out);
}

}  // namespace

extern const OpDef op_reduce;
const OpDef op_reduce{
    .name = "reduce",
    .summary = "maximum over rows, columns, both, or groups of slices",
    .op_class = OpClass::Reduce,
    .attributes = reduce_attributes,
    .check = reduce_check,
    .golden = reduce_golden,
    .use = reduce_use,
    .prepare = nullptr,
    .block = reduce_block,
    .by_slice = true,
    .integer_capable = true,
    .fusable = true,
    .bit_true = true,
    .error_amplifying = true,
    .keeps_sign = true,
};

}  // namespace ttsim::impl
