// tilizer: converts a flat (row-major) queue to tiles. The reader of the flat queue already provides the matrix, so
// values are only copied.
#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/golden_eltwise.hpp"

namespace ttsim::impl {

static void tilizer_check(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (!operands_complete(op)) return;
    check_eltwise_shapes(op, out);
}

static void tilizer_block(const BlockArgs& args) {
    copy_tiles(args.in[0].slices[0], operand_tile(args.op, 0), args.out, args.op.tile);
    round_copy(args);
}

extern const OpDef op_tilizer{.name = "tilizer",
                              .summary = "Converts the rows of a flat queue into tiles",
                              .op_class = OpClass::Move,
                              .attributes = {},
                              .check = tilizer_check,
                              .golden = golden_copy,
                              .use = use_eltwise,
                              .prepare = nullptr,
                              .block = tilizer_block,
                              .by_slice = true,
                              .bit_true = true,
                              .keeps_sign = true};

}  // namespace ttsim::impl
