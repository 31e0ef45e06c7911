// What every op shares: common attributes, operand counts, the default unpack conversion and the packer.
#include "kernels/op_def.hpp"

namespace tt {

static constexpr AttrDef common[] = {
    {.name = "relu_en",
     .kind = AttrKind::Bool,
     .default_text = "false",
     .meaning = "the packer applies relu_mode to the result"},
    {.name = "relu_mode",
     .kind = AttrKind::Word,
     .default_text = "none",
     .meaning = "min: values not above relu_threshold become 0; max: values are clamped to 0..relu_threshold",
     .words = "none|min|max"},
    {.name = "relu_threshold", .kind = AttrKind::Number, .default_text = "0", .meaning = "threshold of relu_mode"},
    {.name = "stoch_rnd_mode",
     .kind = AttrKind::Word,
     .default_text = "none",
     .meaning = "where results are rounded stochastically (not on Grayskull)",
     .words = "none|fpu|pack|all"},
    {.name = "srnd_fpu_en",
     .kind = AttrKind::Bool,
     .default_text = "false",
     .meaning = "old spelling of stoch_rnd_mode: fpu"},
    {.name = "kernel_broadcast",
     .kind = AttrKind::Map,
     .default_text = "{}",
     .meaning = "input_N: tiles; the kernel's buffer of that input holds that many tiles and is read cyclically"},
    {.name = "kernel_broadcast_per_t",
     .kind = AttrKind::Map,
     .default_text = "{}",
     .meaning = "input_N: tiles; as kernel_broadcast with a fresh set of tiles for every slice"},
    {.name = "single_tile",
     .kind = AttrKind::List,
     .default_text = "[]",
     .meaning = "inputs with a kernel_broadcast of one tile (old spelling)"},
};

std::span<const AttrDef> common_attributes() { return common; }

int operand_count(const OpConfig& op) {
    const OpAttributes& a = op.attr;
    if (op.type == "matmul") return 2 + int{a.identity} + int{a.bias} + int{a.requant || a.dequant};
    if (op.type == "depthwise") return 2 + int{a.bias} + int{a.requant || a.dequant};
    if (op.type == "splice" && !a.splice.empty()) return static_cast<int>(a.splice.size());
    if (op.type == "fused_op" && op.fused != nullptr) return static_cast<int>(op.fused->inputs);
    const OpDef* def = find_op(op.type);
    return def == nullptr ? 0 : def->min_inputs;
}

void prepare_operand(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    const OpDef* def = find_op(op.type);
    if (def != nullptr && def->prepare != nullptr) return def->prepare(op, operand, numerics, values);
    const DataFormat format = op.in_df[static_cast<std::size_t>(operand)];
    if (numerics == Numerics::Real && !is_raw(format) && !is_integer(format)) unpack_to_src(format, op.acc_df, values);
}

static void relu(const OpAttributes& attr, MatrixView out) {
    const float threshold = attr.relu_threshold;
    const bool clamp = attr.relu == ReluMode::Max;
    for (std::int64_t r = 0; r < out.rows; ++r) {
        float* row = out.row(r);
        if (clamp) {
            for (std::int64_t c = 0; c < out.cols; ++c) {
                const float x = row[c] > 0.0F ? row[c] : 0.0F;
                row[c] = x > threshold ? threshold : x;
            }
        } else {
            for (std::int64_t c = 0; c < out.cols; ++c) row[c] = row[c] > threshold ? row[c] : 0.0F;
        }
    }
}

static void add_previous(ConstMatrixView previous, MatrixView out) {
    for (std::int64_t r = 0; r < out.rows; ++r) {
        float* row = out.row(r);
        const float* old = previous.row(r);
        for (std::int64_t c = 0; c < out.cols; ++c) row[c] += old[c];
    }
}

void pack_result(const BlockArgs& args) {
    const OpConfig& op = args.op;
    if (is_raw(op.out_df)) return;  // bit patterns: nothing to compute with
    const bool real = args.numerics == Numerics::Real;
    if (args.previous.data != nullptr) {
        add_previous(args.previous, args.out);
        if (real) round_to_dest(op.acc_df, args.out);
    }
    if (op.attr.relu_en && op.attr.relu != ReluMode::None) relu(op.attr, args.out);
    if (is_integer(op.out_df)) {
        saturate_to_integer(op.out_df, args.out);
    } else if (real) {
        // The dequantizing ops leave floats in a 32-bit Dst that is declared Int32.
        pack_from_dest(op.acc_df == DataFormat::Int32 ? DataFormat::Float32 : op.acc_df, op.out_df, args.out);
    }
}

}  // namespace tt
