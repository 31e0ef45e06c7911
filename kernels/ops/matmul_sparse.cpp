// Sparse ("identity") matmul: a list of distinct sparse tiles, activations, and an encoding that assigns sparse tiles
// to activation rows and output rows (kernels/ops/sparse_encoding.hpp).
#include <Eigen/SparseCore>

#include "kernels/ops/matmul.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/product_checks.hpp"
#include "kernels/ops/products.hpp"
#include "kernels/ops/sparse_encoding.hpp"

namespace ttsim::impl {
namespace {

constexpr std::int64_t edge = tile_edge;  // sparse tiles are whole

std::int64_t activation_slices(const OpConfig& op) { return op.attr.act_t > 0 ? op.attr.act_t : op.out.t; }

void check_encoding_fields(const OpConfig& op, Diagnostics& out) {
    const auto& a = op.attr;
    const auto ublock_bits = a.sparse_ublock_idx_bits < 0 ? a.sparse_tile_ptr_bits : a.sparse_ublock_idx_bits;
    if (a.sparse_tile_ptr_bits > 16 || ublock_bits > 16)
        return out.error(op.loc, "op '{}': sparse_tile_ptr_bits {} and sparse_ublock_idx_bits {} must be at most 16",
                         op.name, a.sparse_tile_ptr_bits, ublock_bits);
    if (a.num_sparse_tiles > std::int64_t{1} << a.sparse_tile_ptr_bits)
        out.error(op.loc, "op '{}': sparse_tile_ptr_bits {} cannot address num_sparse_tiles {}", op.name,
                  a.sparse_tile_ptr_bits, a.num_sparse_tiles);
    if (op.out.mblock_m > std::int64_t{1} << ublock_bits)
        out.error(op.loc, "op '{}': sparse_ublock_idx_bits {} cannot address {} ublock rows (mblock)", op.name,
                  ublock_bits, op.out.mblock_m);
}

void check_parts(const OpConfig& op, std::size_t operand, Diagnostics& out) {
    const auto& in = op.in[operand];
    const auto parts = op.attr.fracture_factor;
    if (in.z != 1 || in.rt % op.out.grid_r != 0 || in.ct % parts != 0)
        out.error(
            op.loc,
            "op '{}': input {} has {} tiles after its TMs, must have 1 slice, rows that split over {} grid rows and "
            "columns that split into {} parts (fracture_factor)",
            op.name, operand, shape_text(in), op.out.grid_r, parts);
}

/// Part [i][j / (gc / fracture_factor)] of operand 0 or 2.
TileRect part(const OpConfig& op, std::size_t operand, std::int64_t core_r, std::int64_t core_c) {
    const auto& in = op.in[operand];
    const auto rows = in.rt / op.out.grid_r;
    const auto cols = in.ct / op.attr.fracture_factor;
    const auto column = core_c / (op.out.grid_c / op.attr.fracture_factor);
    return {core_r * rows, column * cols, rows, cols};
}

/// The sparse matrix of one output slice, for one grid row and fracture column: rows of the core x all activation rows.
using SparseOperand = Eigen::SparseMatrix<float, Eigen::RowMajor>;
SparseOperand sparse_matrix(const OpConfig& op, const std::vector<SparseStrip>& strips, ConstMatrixView tiles) {
    std::vector<Eigen::Triplet<float, int>> entries;
    const auto tiles_per_row = tiles.cols / edge;
    for (const auto& strip : strips)
        for (const auto& block : strip.blocks)
            for (const auto& tile : block.tiles) {
                const auto source =
                    tiles.sub(tile.tile / tiles_per_row * edge, tile.tile % tiles_per_row * edge, edge, edge);
                const auto row = (block.ublock_row * op.out.ublock_rt + tile.row) * edge;
                const auto col = (strip.index * op.attr.u_kt + tile.d) * edge;
                for (std::int64_t r = 0; r < edge; ++r)
                    for (std::int64_t c = 0; c < edge; ++c)
                        if (source.at(r, c) != 0.0F)
                            entries.emplace_back(static_cast<int>(row + r), static_cast<int>(col + c), source.at(r, c));
            }
    const auto inner = activation_slices(op) * op.attr.m_k * op.attr.u_kt * edge;
    SparseOperand matrix(op.out.core_rt() * edge, inner);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

/// A bit for each element of a tile's row that is not 0. Rows have few, so a branch for each element would take longer
/// than their products.
std::uint32_t nonzero_elements(const float* row) {
    static_assert(edge == 32);
    std::uint32_t found = 0;
    for (int c = 0; c < 32; ++c) found |= static_cast<std::uint32_t>(row[c] != 0.0F) << c;
    return found;
}

/// rows += value * source for the non-zero entries of one sparse tile.
void add_tile(ConstMatrixView sparse, ConstMatrixView source, MatrixView rows) {
    for (std::int64_t r = 0; r < edge; ++r) {
        const float* values = sparse.row(r);
        float* to = rows.row(r);
        for (std::uint32_t left = nonzero_elements(values); left != 0; left &= left - 1) {
            const int c = std::countr_zero(left);
            const float value = values[c];
            const float* from = source.row(c);
            for (std::int64_t x = 0; x < rows.cols; ++x) to[x] += value * from[x];
        }
    }
}

ConstMatrixView activation_row(const OpConfig& op, const BlockOperand& activations, std::int64_t tile_row) {
    const auto rows_per_slice = op.attr.m_k * op.attr.u_kt;
    const auto& slice = activations.slices[static_cast<std::size_t>(tile_row / rows_per_slice)];
    return slice.sub(tile_row % rows_per_slice * edge, 0, edge, slice.cols);
}

}  // namespace

void check_sparse(const OpConfig& op, Diagnostics& out) {
    const auto& a = op.attr;
    check_inner_blocks(op, out);
    if (a.accumulate) out.error(op.loc, "op '{}': accumulate and identity exclude each other", op.name);
    if (a.fracture_factor < 1 || op.out.grid_c % a.fracture_factor != 0)
        return out.error(op.loc, "op '{}': fracture_factor {} must divide the {} grid columns", op.name,
                         a.fracture_factor, op.out.grid_c);
    check_parts(op, 0, out);
    check_parts(op, 2, out);
    expect_shape(op, 1, {activation_slices(op), a.m_k * a.u_kt, op.out.shape().ct}, "act_t x m_k*u_kt x output columns",
                 out);
    if (op.in_df[2] != DataFormat::RawUInt32)
        out.error(op.loc, "op '{}': input 2, the encoding, is {}, must be RawUInt32", op.name, to_string(op.in_df[2]));
    for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
        if (op.in_tile[k] != TileDim{})
            out.error(op.loc, "op '{}': input {} of an identity matmul has tiles of {}, must have 32x32", op.name, k,
                      op.in_tile[k]);
    if (op.tile.h != edge)
        out.error(op.loc, "op '{}': tile_dim {} of an identity matmul must have 32 rows", op.name, op.tile);
    if (a.sparse_tile_ptr_bits < 1)
        out.unsupported(
            op.loc, "op '{}': identity matmul without sparse_tile_ptr_bits: the old encoding is not modelled", op.name);
    else
        check_encoding_fields(op, out);
    check_product_tiles(op, out);
    check_product_rules(op, 3, out);
}

Tensor golden_sparse(const OpConfig& op, std::span<const Tensor* const> in) {
    Tensor sums(op.out.shape(), op.tile);
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto& act = *in[1];
    const Eigen::Map<const RowMajor> activations(act.data.data(), act.z * act.rows, act.cols);
    const auto layout = sparse_layout(op);
    const auto group = op.out.grid_c / op.attr.fracture_factor;  // grid columns that share a part
    const auto core_rows = op.out.core_rt() * edge;
    const auto group_cols = group * op.out.core_ct() * op.tile.w;
    for (std::int64_t i = 0; i < op.out.grid_r; ++i)
        for (std::int64_t f = 0; f < op.attr.fracture_factor; ++f) {
            const auto elements = [&](std::size_t operand) {
                const auto rect = part(op, operand, i, f * group);
                return in[operand]->slice(0).sub(rect.r0 * edge, rect.c0 * edge, rect.nr * edge, rect.nc * edge);
            };
            const auto slices = decode_sparse(flatten_encoding(elements(2)), layout);
            for (std::int64_t z = 0; z < op.out.t; ++z) {
                const SparseOperand matrix = sparse_matrix(op, slices[static_cast<std::size_t>(z)], elements(0));
                Eigen::Map<RowMajor> out(sums.slice(z).data, sums.rows, sums.cols);
                out.block(i * core_rows, f * group_cols, core_rows, group_cols) =
                    matrix * activations.middleCols(f * group_cols, group_cols);
            }
        }
    golden_epilogue(op, in, 3, sums);
    return sums;
}

OperandUse use_sparse(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) {
    if (operand >= 3) return own_rect_at_end(op, core_r, core_c);
    OperandUse use;
    use.whole_input = true;
    use.chunks = OperandUse::Chunks::One;
    if (operand == 1) {
        const auto rows = op.attr.m_k * op.attr.u_kt;
        use.rects = {{0, core_c * op.out.core_ct(), rows, op.out.core_ct()}};
        use.slices = activation_slices(op);
        use.chunks = OperandUse::Chunks::KRows;
        use.count = op.attr.m_k;
        use.clear_tiles = (op.attr.min_buffer_input == 1 ? 1 : op.out.mblock_n) * op.out.ublock_ct * op.attr.u_kt;
    } else {
        use.rects = {part(op, static_cast<std::size_t>(operand), core_r, core_c)};
        use.clear_tiles = operand == 2 ? 1 : use.rects[0].nr * use.rects[0].nc;  // the encoding arrives tile by tile
    }
    return use;
}

void prepare_sparse(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    if (operand != 2) prepare_product(op, operand, numerics, values);  // the encoding is raw bits
}

namespace {

/// Adds all products; returns whether the sums stayed in range.
bool add_products(const BlockArgs& args, Numerics numerics) {
    const OpConfig& op = args.op;
    const auto tiles = args.in[0].slices[0];
    const auto tiles_per_row = tiles.cols / edge;
    const auto ublock_rows = op.out.ublock_rt * edge;
    const auto words = flatten_encoding(args.in[2].slices[0]);
    const auto layout = sparse_layout(op);
    SparseDecoder decoder(words, layout);
    std::vector<bool> has_partial_sums(static_cast<std::size_t>(op.out.mblock_m), false);
    SparseStrip strip;
    bool in_range_so_far = true;
    while (decoder.next(strip) && decoder.slice() <= args.slice) {
        if (decoder.slice() < args.slice) continue;
        for (const auto& block : strip.blocks) {
            const auto rows = args.out.sub(block.ublock_row * ublock_rows, 0, ublock_rows, args.out.cols);
            if (has_partial_sums[static_cast<std::size_t>(block.ublock_row)]) spill(op, numerics, rows);
            has_partial_sums[static_cast<std::size_t>(block.ublock_row)] = true;
            for (const auto& tile : block.tiles) {
                const auto sparse =
                    tiles.sub(tile.tile / tiles_per_row * edge, tile.tile % tiles_per_row * edge, edge, edge);
                const auto source = activation_row(op, args.in[1], strip.index * op.attr.u_kt + tile.d);
                const auto to = rows.sub(tile.row * edge, 0, edge, rows.cols);
                if (numerics == Numerics::Exact)
                    multiply(op, numerics, sparse, source, to, true);
                else
                    add_tile(sparse, source, to);
            }
            in_range_so_far = in_range(op, numerics, rows) && in_range_so_far;
            round_dest(op, numerics, rows);
        }
    }
    return in_range_so_far;
}

}  // namespace

void block_sparse(const BlockArgs& args) {
    multiply_with_fallback(args, [&](Numerics numerics) { return add_products(args, numerics); });
    product_epilogue(args, 3);
}

}  // namespace ttsim::impl
