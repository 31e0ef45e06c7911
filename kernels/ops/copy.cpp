// nop and datacopy: output = input, format conversion only.
#include "kernels/ops/attributes.hpp"
#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/golden_eltwise.hpp"

namespace ttsim::impl {

static void copy_check(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (!operands_complete(op)) return;
    check_eltwise_shapes(op, out);
    if (is_raw(op.in_df[0]) != is_raw(op.out_df)) {
        out.error(op.loc, "'{}' copies {} to {}; a raw format can only be copied to itself", op.name,
                  to_string(op.in_df[0]), to_string(op.out_df));
    }
}

static void copy_block(const BlockArgs& args) {
    const BlockOperand& x = args.in[0];
    copy_tiles(x.slices[0], operand_tile(args.op, 0), args.out, args.op.tile);
    round_copy(args);
}

// Netlists set some attributes on copies that have no effect.
static constexpr AttrDef copy_attributes[] = {
    attr_sfpu_execution_thread,
    {.name = "vector",
     .kind = AttrKind::Word,
     .default_text = "rc",
     .meaning = "no effect: all elements are copied",
     .words = "r|c|rc",
     .place = &enum_field<&OpAttributes::vector, VectorMode::R, VectorMode::C, VectorMode::RC>},
    {.name = "m_k",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "no effect",
     .place = &at<&OpAttributes::m_k>},
    {.name = "u_kt",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "no effect",
     .place = &at<&OpAttributes::u_kt>}};

static ValueRange copy_range(const OpAttributes&, std::span<const ValueRange> in) {
    return in[0].is_bounded() ? in[0] : ValueRange::unbounded();
}

/// One record for both names.
static constexpr OpDef copy_op(std::string_view name, std::string_view summary) {
    return {.name = name,
            .summary = summary,
            .op_class = OpClass::Move,
            .attributes = copy_attributes,
            .check = copy_check,
            .golden = golden_copy,
            .use = use_eltwise,
            .block = copy_block,
            .by_slice = true,
            .integer_capable = true,
            .gradient_on_all_chips = true,
            .fusable = true,
            .bit_true = true,
            .keeps_sign = true};
}

/// The compiler offers the copy under this name only.
static constexpr OpDef nop() {
    OpDef op = copy_op("nop", "Copies its input, converting the format");
    op.range = copy_range;
    op.chain_cycles = 1;
    return op;
}

extern const OpDef op_nop = nop();
extern const OpDef op_datacopy = copy_op("datacopy", "The same as nop");

}  // namespace ttsim::impl
