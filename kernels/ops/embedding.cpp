// embedding: table rows selected by indices. The indices of a grid row form one flat vector: tile by tile of in1's
// share, row-major inside a tile.
#include <bit>
#include <cstring>

#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

static constexpr std::uint32_t no_row = 0xFFFFFFFFU;

static void embedding_check(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    const Blocking& b = op.out;
    if (b.ublock_rt != 1) {
        out.error(op.loc, "ublock of '{}' has {} tile rows; an embedding needs 1", op.name, b.ublock_rt);
    }
    if (op.attr.num_indices != b.core_rt() * op.tile.h) {
        out.error(op.loc, "num_indices of '{}' is {}; a core makes {} rows, so it must be {}", op.name,
                  op.attr.num_indices, b.core_rt() * op.tile.h, b.core_rt() * op.tile.h);
    }
    if (!operands_complete(op)) return;
    const TileShape table = op.in[0], indices = op.in[1], want = b.shape();
    if (op.in_df[1] != DataFormat::RawUInt32) {
        out.error(op.loc, "in_df[1] of '{}', the indices, is {}; it must be RawUInt32", op.name,
                  to_string(op.in_df[1]));
    }
    if (table.ct != want.ct) {
        out.error(op.loc, "the table of '{}' is {} tiles wide; its output is {}, and they must be equal", op.name,
                  table.ct, want.ct);
    }
    for (const auto& [what, z] : {std::pair{"table", table.z}, std::pair{"indices", indices.z}}) {
        if (z != 1 && z != want.z) {
            out.error(op.loc, "the {} of '{}' have {} slices; it must be 1 or the output's {}", what, op.name, z,
                      want.z);
        }
    }
    if (indices.rt % b.grid_r != 0) {
        out.error(op.loc, "the indices of '{}' have {} tile rows, which {} grid rows cannot share", op.name, indices.rt,
                  b.grid_r);
    } else if (indices.rt / b.grid_r * indices.ct * op.in_tile[1].elements() < op.attr.num_indices) {
        out.error(op.loc, "a grid row of '{}' has {} index tiles, too few for num_indices {}", op.name,
                  indices.rt / b.grid_r * indices.ct, op.attr.num_indices);
    }
}

static OperandUse embedding_use(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) {
    const TileShape in = op.in[static_cast<std::size_t>(operand)];
    OperandUse use;
    if (operand == 0) {
        use.rects = {{0, core_c * op.out.core_ct(), in.rt, op.out.core_ct()}};
    } else {
        const std::int64_t rows = in.rt / op.out.grid_r;
        use.rects = {{core_r * rows, 0, rows, in.ct}};
    }
    use.whole_input = true;
    use.chunks = OperandUse::Chunks::One;
    use.clear_tiles = op.out.ublock_tiles();
    return use;
}

[[noreturn]] static void bad_index(const OpConfig& op, std::uint32_t index, std::int64_t rows) {
    fail_input(op.loc, "embedding '{}' got index {}; its table has {} rows (4294967295 selects a row of zeros)",
               op.name, index, rows);
}

// --- golden -------------------------------------------------------------------------------------------------------

static Tensor embedding_golden(const OpConfig& op, std::span<const Tensor* const> in) {
    const Tensor &table = *in[0], &indices = *in[1];
    const TileDim dim = op.in_tile[1];
    Tensor out(op.out.shape(), op.tile);
    const std::int64_t share_rows = indices.rows / op.out.grid_r, rows_per_grid_row = out.rows / op.out.grid_r;
    const std::int64_t tiles_across = indices.cols / dim.w;
    for (std::int64_t z = 0; z < out.z; ++z) {
        const ConstMatrixView index_slice = indices.slice(indices.z == 1 ? 0 : z);
        const ConstMatrixView table_slice = table.slice(table.z == 1 ? 0 : z);
        for (std::int64_t r = 0; r < out.rows; ++r) {
            const std::int64_t grid_row = r / rows_per_grid_row, i = r % rows_per_grid_row;
            const std::int64_t tile = i / dim.elements(), rest = i % dim.elements();
            const std::int64_t ir = grid_row * share_rows + tile / tiles_across * dim.h + rest / dim.w;
            const std::int64_t ic = tile % tiles_across * dim.w + rest % dim.w;
            const auto index = std::bit_cast<std::uint32_t>(index_slice.at(ir, ic));
            if (index == no_row) continue;
            if (index >= table_slice.rows) bad_index(op, index, table_slice.rows);
            for (std::int64_t c = 0; c < out.cols; ++c) out.slice(z).at(r, c) = table_slice.at(index, c);
        }
    }
    return out;
}

// --- block --------------------------------------------------------------------------------------------------------

/// The indices of one slice of the grid row's share, as a flat vector.
static std::vector<std::uint32_t> flat_indices(ConstMatrixView share, TileDim dim, std::int64_t count) {
    std::vector<std::uint32_t> flat;
    flat.reserve(static_cast<std::size_t>(count));
    for (std::int64_t r0 = 0; r0 < share.rows; r0 += dim.h) {
        for (std::int64_t c0 = 0; c0 < share.cols; c0 += dim.w) {
            for (std::int64_t r = 0; r < dim.h; ++r) {
                for (std::int64_t c = 0; c < dim.w; ++c) {
                    if (static_cast<std::int64_t>(flat.size()) == count) return flat;
                    flat.push_back(std::bit_cast<std::uint32_t>(share.at(r0 + r, c0 + c)));
                }
            }
        }
    }
    return flat;
}

static ConstMatrixView slice_of(const BlockOperand& operand, std::int64_t slice) {
    return operand.slices[operand.slices.size() == 1 ? 0 : static_cast<std::size_t>(slice)];
}

static void embedding_block(const BlockArgs& args) {
    const ConstMatrixView table = slice_of(args.in[0], args.slice);
    const auto flat = flat_indices(slice_of(args.in[1], args.slice), args.op.in_tile[1], args.out.rows);
    for (std::size_t i = 0; i < flat.size(); ++i) {
        if (flat[i] == no_row) continue;
        if (flat[i] >= table.rows) bad_index(args.op, flat[i], table.rows);
        std::memcpy(args.out.row(static_cast<std::int64_t>(i)), table.row(flat[i]),
                    static_cast<std::size_t>(args.out.cols) * sizeof(float));
    }
    round_copy(args);
}

static constexpr AttrDef embedding_attributes[] = {
    {.name = "num_indices",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "rows every core looks up: mblock rows times 32 (required)",
     .low = 1,
     .place = &at<&OpAttributes::num_indices>}};

extern const OpDef op_embedding{
    .name = "embedding",
    .summary = "Row i of the output is row in1[i] of the table in0; index 0xFFFFFFFF gives zeros",
    .op_class = OpClass::Move,
    .min_inputs = 2,
    .max_inputs = 2,
    .attributes = embedding_attributes,
    .check = embedding_check,
    .golden = embedding_golden,
    .use = embedding_use,
    .prepare = nullptr,
    .block = embedding_block,
    .bit_true = true,
    .keeps_sign = true};

}  // namespace ttsim::impl
