// Shared by all ops: common attributes, operand counts, the default unpack conversion and the packer.
#include "kernels/exact/block.hpp"
#include "kernels/ops/integer_bits.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

/// Deprecated attributes: they set the fields of others and are never written.
static constexpr AttrAccessor old_rounding{[](const OpAttributes&, const AttrDef&) -> AttrValue { return false; },
                                           [](OpAttributes& into, const AttrDef&, const AttrValue& value) {
                                               if (std::get<bool>(value)) into.stoch_rnd_mode = "fpu";
                                           }};
static constexpr AttrAccessor single_tiles{
    [](const OpAttributes&, const AttrDef&) -> AttrValue { return std::vector<std::int64_t>(); },
    [](OpAttributes& into, const AttrDef&, const AttrValue& value) {
        for (const std::int64_t input : std::get<std::vector<std::int64_t>>(value))
            into.kernel_broadcast[static_cast<int>(input)] = 1;
    }};

static constexpr AttrDef common[] = {
    {.name = "relu_en",
     .kind = AttrKind::Bool,
     .default_text = "false",
     .meaning = "the packer applies relu_mode to the result",
     .place = &at<&OpAttributes::relu_en>},
    {.name = "relu_mode",
     .kind = AttrKind::Word,
     .default_text = "none",
     .meaning = "min: values not above relu_threshold become 0; max: values are clamped to 0..relu_threshold",
     .words = "none|min|max",
     .place = &enum_field<&OpAttributes::relu, ReluMode::None, ReluMode::Min, ReluMode::Max>},
    {.name = "relu_threshold",
     .kind = AttrKind::Number,
     .default_text = "0",
     .meaning = "threshold of relu_mode",
     .place = &at<&OpAttributes::relu_threshold>},
    {.name = "stoch_rnd_mode",
     .kind = AttrKind::Word,
     .default_text = "none",
     .meaning = "where results are rounded stochastically (chips with stochastic_rounding)",
     .words = "none|fpu|pack|all",
     .place = &at<&OpAttributes::stoch_rnd_mode>},
    {.name = "srnd_fpu_en",
     .kind = AttrKind::Bool,
     .default_text = "false",
     .meaning = "old spelling of stoch_rnd_mode: fpu",
     .place = &old_rounding},
    {.name = "kernel_broadcast",
     .kind = AttrKind::Map,
     .default_text = "{}",
     .meaning = "input_N: tiles; the kernel's buffer of that input holds that many tiles and is read cyclically",
     .place = &at<&OpAttributes::kernel_broadcast>},
    {.name = "kernel_broadcast_per_t",
     .kind = AttrKind::Map,
     .default_text = "{}",
     .meaning = "input_N: tiles; as kernel_broadcast with a fresh set of tiles for every slice",
     .place = &at<&OpAttributes::kernel_broadcast_per_t>},
    {.name = "single_tile",
     .kind = AttrKind::List,
     .default_text = "[]",
     .meaning = "inputs with a kernel_broadcast of one tile (old spelling)",
     .place = &single_tiles},
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

bool golden_splits_by_slice(const OpConfig& op) {
    const OpDef* def = find_op(op.type);
    return def != nullptr && def->by_slice && !op.attr.identity;  // a sparse encoding covers all slices
}

bool draws_random(const OpConfig& op) {
    if (const OpDef* def = find_op(op.type); def != nullptr && def->random) return true;
    if (!op.fused) return false;
    for (const auto& schedule : op.fused->schedules)
        for (const FusedSubOp& sub : schedule)
            if (const OpDef* def = find_op(sub.type); def != nullptr && def->random) return true;
    return false;
}

std::vector<std::string> non_bit_true_parts(const OpConfig& op) {
    std::vector<std::string> parts;
    const auto add_parts = [&](const std::string& type, const OpAttributes& attr) {
        const OpDef* def = find_op(type);
        if (def != nullptr && !def->bit_true) parts.push_back(type);
        if (attr.sfpu_gelu) parts.push_back("gelu of " + type);
        if (type == "reduce" && attr.reduce_dim == ReduceDim::Z) parts.push_back("reduce over z");
        if ((type == "matmul" || type == "depthwise") && (attr.requant || attr.dequant))
            parts.push_back("scaling of integer " + type);
    };
    if (op.fused != nullptr) {
        for (const auto& schedule : op.fused->schedules)
            for (const FusedSubOp& sub : schedule) add_parts(sub.type, sub.attributes);
    } else {
        add_parts(op.type, op.attr);
    }
    if (op.gradient) parts.push_back("sums of gradient_op");
    return parts;
}

void prepare_operand(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    if (operand_is_bits(op, static_cast<std::size_t>(operand)) && !keeps_integers(op)) integers_to_floats(values);
    const OpDef* def = find_op(op.type);
    if (def != nullptr && def->prepare != nullptr) return def->prepare(op, operand, numerics, values);
    const DataFormat format = op.in_df[static_cast<std::size_t>(operand)];
    if (!rounds_to_formats(numerics) || is_raw(format) || is_integer(format)) return;
    unpack_to_src(format, op.acc_df, values);
}

/// ReLU of integers, and of floats without format rounding.
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
    if (is_raw(op.out_df)) return;  // raw bit patterns are not changed
    if (keeps_integers(op)) {
        if (op.attr.relu_en && op.attr.relu != ReluMode::None) rectify_integers(args.out);
        return;
    }
    const bool rounds = rounds_to_formats(args.numerics);
    if (args.previous.data != nullptr) {
        add_previous(args.previous, args.out);
        if (rounds) round_to_dest(op.acc_df, args.out);
    }
    // Dequantizing ops leave floats in a 32-bit Dst that is declared Int32.
    const DataFormat dest = is_integer(op.out_df) || op.acc_df != DataFormat::Int32 ? op.acc_df : DataFormat::Float32;
    if (op.attr.relu_en && op.attr.relu != ReluMode::None) {
        if (rounds && !is_integer(op.out_df))
            exact::pack_relu(dest, op.out_df, op.attr, args.out);
        else
            relu(op.attr, args.out);
    }
    if (is_integer(op.out_df))
        saturate_to_integer(op.out_df, args.out);
    else if (rounds)
        pack_from_dest(dest, op.out_df, args.out);
    if (result_is_bits(op)) floats_to_integers(args.out);
}

}  // namespace ttsim::impl
