// quantization, requantization, dequantization: scaling between integers and floats. in1 holds the scales.
#include <cmath>

#include "kernels/ops/attributes.hpp"
#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/golden_eltwise.hpp"

namespace ttsim::impl {

static void check_family(const OpConfig& op, bool in0_legal, const char* in0_formats, DataFormat result,
                         Diagnostics& out) {
    check_eltwise_shapes(op, out);
    check_same_tile_dim(op, out);
    if (!in0_legal) {
        out.error(op.loc, "in_df[0] of '{}' is {}; {} takes {}", op.name, to_string(op.in_df[0]), op.type, in0_formats);
    }
    if (op.in_df[1] != DataFormat::Float32) {
        out.error(op.loc, "in_df[1] of '{}', the scales, is {}; it must be Float32", op.name, to_string(op.in_df[1]));
    }
    if (op.out_df != result) {
        out.error(op.loc, "out_df of '{}' is {}; {} gives {}", op.name, to_string(op.out_df), op.type,
                  to_string(result));
    }
}
static void check_quantization(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (!operands_complete(op)) return;
    check_family(op, op.in_df[0] == DataFormat::Float32, "Float32", DataFormat::Int8, out);
}
static bool is_int8_or_32(DataFormat f) { return f == DataFormat::Int8 || f == DataFormat::Int32; }
static void check_requantization(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (!operands_complete(op)) return;
    check_family(op, is_int8_or_32(op.in_df[0]), "Int8 or Int32", DataFormat::Int8, out);
}
static void check_dequantization(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (!operands_complete(op)) return;
    check_family(op, is_int8_or_32(op.in_df[0]), "Int8 or Int32", DataFormat::Float32, out);
}

static Tensor golden_quantize(const OpConfig& op, std::span<const Tensor* const> in) {
    const auto quantized = [zero = static_cast<float>(op.attr.zero_point)](float x, float scale) {
        const float scaled = x * scale + zero;
        return std::isnan(scaled) ? 0.0F : std::min(std::max(std::round(scaled), -127.0F), 127.0F);
    };
    return golden_map_of(op, quantized, GoldenOperand(op, in, 0), GoldenOperand(op, in, 1));
}
static Tensor golden_dequantize(const OpConfig& op, std::span<const Tensor* const> in) {
    const auto real = [zero = static_cast<float>(op.attr.zero_point)](float x, float scale) {
        return (x - zero) * scale;
    };
    return golden_map_of(op, real, GoldenOperand(op, in, 0), GoldenOperand(op, in, 1));
}

template <class F>
static void block_rows(const BlockArgs& args, F f) {
    const ConstMatrixView x = args.in[0].slices[0], scale = args.in[1].slices[0];
    for (std::int64_t r = 0; r < args.out.rows; ++r) {
        const float* a = x.row(r);
        const float* s = scale.row(r);
        float* out = args.out.row(r);
        for (std::int64_t c = 0; c < args.out.cols; ++c) out[c] = f(a[c], s[c]);
    }
}
static void block_quantize(const BlockArgs& args) {
    const auto zero = static_cast<float>(args.op.attr.zero_point);
    block_rows(args, [zero](float a, float s) { return a * s + zero; });
    saturate_to_integer(DataFormat::Int8, args.out);
}
static void block_dequantize(const BlockArgs& args) {
    const auto zero = static_cast<float>(args.op.attr.zero_point);
    block_rows(args, [zero](float a, float s) { return (a - zero) * s; });
}

/// Scales and other Float32 operands pass the source registers as Tf32; integers are unchanged.
static void quantization_prepare(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    if (rounds_to_formats(numerics) && op.in_df[static_cast<std::size_t>(operand)] == DataFormat::Float32)
        unpack_to_src(DataFormat::Float32, DataFormat::Float32, values);
}

static ValueRange int8_range(const OpAttributes&, std::span<const ValueRange>) { return {-127, 127}; }
static ValueRange dequantized_range(const OpAttributes& attr, std::span<const ValueRange> in) {
    if (!in[0].is_bounded() || !in[1].is_bounded()) return ValueRange::unbounded();
    return ValueRange{in[0].low - attr.zero_point, in[0].high - attr.zero_point}.scaled(in[1].most());
}

static constexpr AttrDef quantization_attributes[] = {attr_zero_point, attr_sfpu_execution_thread};

extern const OpDef op_quantization{.name = "quantization",
                                   .summary = "in0 * in1 + zero_point, rounded and saturated to Int8",
                                   .op_class = OpClass::SfpuBinary,
                                   .min_inputs = 2,
                                   .max_inputs = 2,
                                   .attributes = quantization_attributes,
                                   .check = check_quantization,
                                   .golden = golden_quantize,
                                   .use = use_eltwise,
                                   .prepare = quantization_prepare,
                                   .block = block_quantize,
                                   .by_slice = true,
                                   .integer_capable = true,
                                   .fusable = true,
                                   .range = int8_range};
extern const OpDef op_requantization{.name = "requantization",
                                     .summary = "Integer in0 * in1 + zero_point, rounded and saturated to Int8",
                                     .op_class = OpClass::SfpuBinary,
                                     .min_inputs = 2,
                                     .max_inputs = 2,
                                     .attributes = quantization_attributes,
                                     .check = check_requantization,
                                     .golden = golden_quantize,
                                     .use = use_eltwise,
                                     .prepare = quantization_prepare,
                                     .block = block_quantize,
                                     .by_slice = true,
                                     .integer_capable = true,
                                     .fusable = true,
                                     .range = int8_range};
extern const OpDef op_dequantization{.name = "dequantization",
                                     .summary = "(Integer in0 - zero_point) * in1 as Float32",
                                     .op_class = OpClass::SfpuBinary,
                                     .min_inputs = 2,
                                     .max_inputs = 2,
                                     .attributes = quantization_attributes,
                                     .check = check_dequantization,
                                     .golden = golden_dequantize,
                                     .use = use_eltwise,
                                     .prepare = quantization_prepare,
                                     .block = block_dequantize,
                                     .by_slice = true,
                                     .integer_capable = true,
                                     .fusable = true,
                                     .range = dequantized_range};

}  // namespace ttsim::impl
