// ONNX's quantizers, and quantized ops of com.microsoft, which are computed with floats between two quantizers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/onnx/join.hpp"
#include "compiler/onnx/quantize.hpp"

namespace ttsim::impl::ir {

namespace {

/// Block size of block quantization (opset 21), where scale and operand have the same rank; 0: none.
std::int64_t block_of(Import& n) {
    const std::int64_t block = n.i("block_size", 0);
    if (block < 0) n.wrong("block_size is {}", block);
    return block;
}

/// The axis is relevant only for more than one scale.
std::int64_t axis_of(Import& n) {
    return count(n.dims(1)) == 1 && n.i("block_size", 0) == 0 ? 0 : n.axis(n.i("axis", 1), n.rank());
}

void quantize(Import& n) {
    const std::int64_t axis = axis_of(n), block = block_of(n);
    std::optional<DType> to = n.has(2) ? n.b.type(n.x(2)).dtype : DType::U8;
    if (!n.has(2) && n.i("output_dtype", 0) != 0) to = n.dtype("output_dtype", 2);
    if (!to) n.unsupported("a quantized ONNX type {}; it must be i8, u8, i16 or u16", n.i("output_dtype", 0));
    const Dims dims = n.dims();
    const ValueId x = n.b.cast(n.x(0), DType::F32);
    const ValueId y = n.binary(op::divide, x, n.b.cast(along_axis(n, n.x(1), dims, axis, block), DType::F32));
    const ValueId zero = n.has(2) ? n.b.cast(along_axis(n, n.x(2), dims, axis, block), DType::F32) : n.b.scalar(0);
    n.add_output(quantize_to(n, y, zero, *to));
}

void dequantize(Import& n) {
    const std::int64_t axis = axis_of(n), block = block_of(n);
    const Dims dims = n.dims();
    ValueId y = n.b.cast(n.x(0), DType::F32);
    if (n.has(2)) y = n.binary(op::subtract, y, n.b.cast(along_axis(n, n.x(2), dims, axis, block), DType::F32));
    const DType to = n.b.type(n.x(1)).dtype;
    n.add_output(
        n.b.cast(n.binary(op::multiply, y, n.b.cast(along_axis(n, n.x(1), dims, axis, block), DType::F32)), to));
}

/// Quantizes to u8. Scale and zero point follow from the range of the values, which is extended to include 0.
void dynamic_quantize(Import& n) {
    ValueId most = n.x(0), least = n.unary(op::neg, n.x(0));
    for (std::int64_t axis = 0; axis < n.rank(); ++axis) {
        most = n.unary(op::reduce_max, most, {attr::axis(axis)});
        least = n.unary(op::reduce_max, least, {attr::axis(axis)});
    }
    most = n.unary(op::relu, n.b.reshape(most, {}));
    least = n.unary(op::neg, n.unary(op::relu, n.b.reshape(least, {})));
    const ValueId scale = n.binary(op::divide, n.binary(op::subtract, most, least), n.b.scalar(255));
    const ValueId zero = quantize_to(n, n.binary(op::divide, n.unary(op::neg, least), scale), n.b.scalar(0), DType::U8);
    n.add_output(quantize_to(n, n.binary(op::divide, n.x(0), scale), n.b.cast(zero, DType::F32), DType::U8));
    n.add_output(scale);
    n.add_output(zero);
}

// --- com.microsoft ------------------------------------------------------------------------------------------------

void qlinear_add(Import& n) { n.add_output(quantized(n, n.binary(op::add, dequantized(n, 0), dequantized(n, 3)), 6)); }
void qlinear_mul(Import& n) {
    n.add_output(quantized(n, n.binary(op::multiply, dequantized(n, 0), dequantized(n, 3)), 6));
}
void qlinear_sigmoid(Import& n) { n.add_output(quantized(n, n.unary(op::sigmoid, dequantized(n, 0)), 3)); }
void qlinear_leaky_relu(Import& n) {
    n.add_output(quantized(n, n.unary(op::lrelu, dequantized(n, 0), {attr::slope(n.f("alpha", 0.01))}), 3));
}
void qlinear_where(Import& n) {
    n.add_output(quantized(n, n.b.add(op::where, {n.x(0), dequantized(n, 1), dequantized(n, 4)}), 7));
}
void qlinear_softmax(Import& n) {
    const bool one_axis = n.i("opset", 13) >= 13;
    const std::int64_t axis = n.axis(n.i("axis", -1), n.rank());
    ValueId x = dequantized(n, 0);
    const Dims dims = n.dims();
    if (!one_axis) {
        const std::int64_t lead =
            std::accumulate(dims.begin(), dims.begin() + axis, std::int64_t{1}, std::multiplies<>());
        x = n.b.reshape(x, {lead, count(dims) / std::max<std::int64_t>(lead, 1)});
    }
    x = n.unary(op::softmax, x, {attr::axis(one_axis ? axis : 1)});
    n.add_output(quantized(n, n.b.reshape(x, dims), 3));
}

ValueId move_channels(Import& n, ValueId x, bool last) {
    std::vector<std::int64_t> perm(n.b.dims(x).size());
    std::iota(perm.begin(), perm.end(), 0);
    if (perm.size() < 3) n.wrong("{} has no channels and positions", to_string(n.b.type(x)));
    std::rotate(perm.begin() + 1, last ? perm.begin() + 2 : perm.end() - 1, perm.end());
    return n.b.transpose(x, perm);
}

/// Dequantizes, applies an ONNX op, and quantizes; channels may be last.
void between_quantizers(Import& n, const char* op) {
    const bool last = n.i("channels_last", 0) != 0;
    const ValueId x = dequantized(n, 0);
    n.in[0] = last ? move_channels(n, x, false) : x;
    find_rule("", op)(n);
    const ValueId y = last ? move_channels(n, n.out[0], true) : n.out[0];
    n.out = {quantized(n, y, 3)};
}
void qlinear_average(Import& n) { between_quantizers(n, "AveragePool"); }
void qlinear_global_average(Import& n) { between_quantizers(n, "GlobalAveragePool"); }

/// Operands: scale and zero point of the result, then three operands per part.
void qlinear_concat(Import& n) {
    if (n.in.size() < 5 || (n.in.size() - 2) % 3 != 0) n.wrong("it has {} operands", n.in.size());
    std::optional<ValueId> all;
    for (std::size_t k = 2; k < n.in.size(); k += 3) {
        const ValueId part = dequantized(n, k);
        const std::int64_t axis = n.axis(n.i("axis", 0), n.rank(k));
        all = all ? joined(n, *all, part, axis) : part;
    }
    n.add_output(quantized(n, *all, 0));
}

ValueId transposed_if(Import& n, ValueId x, bool transpose) { return transpose ? n.b.transpose(x, {1, 0}) : x; }

/// Operands: A and B with scales and zero points, C (its scale is the product of both), scale and zero point of the
/// result. Without the last two the result is a float.
void qgemm(Import& n) {
    if (n.rank(0) != 2 || n.rank(3) != 2) n.wrong("its operands are not matrices");
    const bool transpose_b = n.i("transB", 0) != 0;
    const ValueId a = transposed_if(n, dequantized(n, 0), n.i("transA", 0) != 0);
    const ValueId b = transposed_if(n, dequantized(n, 3, transpose_b ? 0 : 1), transpose_b);
    ValueId y = n.binary(op::matmul, a, b);
    if (n.has(6)) {
        const ValueId both = n.binary(op::multiply, n.b.reshape(n.x(1), {}), along_axis(n, n.x(4), {1, 1}, 1));
        y = n.binary(op::add, y, n.binary(op::multiply, n.b.cast(n.x(6), DType::F32), both));
    }
    y = n.scaled(y, n.f("alpha", 1));
    n.add_output(n.has(7) ? quantized(n, y, 7) : y);
}

ValueId with_bias(Import& n, ValueId y, std::size_t k) { return n.has(k) ? n.binary(op::add, y, n.x(k)) : y; }

/// Operands: A (floats), B with scale and zero point, bias. A is not quantized, which is more exact.
void dynamic_quantize_matmul(Import& n) {
    const std::optional<ValueId> zero = n.has(3) ? std::optional(n.x(3)) : std::nullopt;
    const ValueId b = dequantized(n, n.x(1), n.x(2), zero, n.rank(1) - 1);
    n.add_output(with_bias(n, n.binary(op::matmul, n.x(0), b), 4));
}

/// Operands: A, B, their scales, their zero points, bias.
void matmul_integer_to_float(Import& n) {
    const auto operand = [&](std::size_t k) {
        const std::optional<ValueId> zero = n.has(k + 4) ? std::optional(n.x(k + 4)) : std::nullopt;
        return dequantized(n, n.x(k), n.x(k + 2), zero, k == 1 ? n.rank(1) - 1 : n.rank(0) - 2);
    };
    n.add_output(with_bias(n, n.binary(op::matmul, operand(0), operand(1)), 6));
}

/// LSTM with integer matrices [directions, columns, gates]. Operands: X, W, R, B, lengths, states, peepholes, then
/// scale and zero point of W and of R.
void dynamic_quantize_lstm(Import& n) {
    if (n.rank(1) != 3 || n.rank(2) != 3) n.wrong("its matrices do not have rank 3");
    const auto matrix = [&](std::size_t k, std::size_t scale) {
        const Dims d = n.dims(k);
        if (d[0] < 1) n.wrong("operand {} has no directions", k);
        const auto spread = [&](std::size_t at) {  // one per direction, or one per column of a direction
            const std::int64_t given = count(n.dims(at));
            return n.b.cast(n.b.reshape(n.x(at), {d[0], 1, given / d[0]}), DType::F32);
        };
        ValueId y = n.b.cast(n.x(k), DType::F32);
        if (n.has(scale + 1)) y = n.binary(op::subtract, y, spread(scale + 1));
        return n.b.transpose(n.binary(op::multiply, y, spread(scale)), {0, 2, 1});
    };
    n.in[1] = matrix(1, 8);
    n.in[2] = matrix(2, 10);
    n.in.resize(8);
    find_rule("", "LSTM")(n);
}

// --- quantizers of training frameworks (qonnx) ----------------------------------------------------------------------

/// Quantizes and dequantizes. Operands: x, scale, zero point, bits.
void qonnx_quant(Import& n) {
    const double bits = n.scalar(3);
    const bool with_sign = n.i("signed", 1) != 0, narrow = n.i("narrow", 0) != 0;
    const double steps = std::exp2(with_sign ? bits - 1 : bits);
    const double low = with_sign ? -steps + (narrow ? 1 : 0) : 0, high = with_sign || !narrow ? steps - 1 : steps - 2;
    ValueId y = n.binary(op::add, n.binary(op::divide, n.x(0), n.x(1)), n.x(2));
    y = n.binary(op::minimum, n.binary(op::maximum, y, n.b.scalar(low)), n.b.scalar(high));
    const std::string mode = n.get_string("rounding_mode", {"ROUND", "CEIL", "FLOOR", "ROUND_TO_ZERO"});
    y = n.unary(mode == "ROUND"   ? op::round
                : mode == "CEIL"  ? op::ceil
                : mode == "FLOOR" ? op::floor
                                  : op::truncate,
                y);
    n.add_output(n.binary(op::multiply, n.binary(op::subtract, y, n.x(2)), n.x(1)));
}
void qonnx_bipolar(Import& n) {
    const ValueId above = n.b.cast(n.binary(op::greater_equal, n.x(0), n.b.scalar(0)), DType::F32);
    n.add_output(n.binary(op::multiply, n.binary(op::subtract, n.scaled(above, 2), n.b.scalar(1)), n.x(1)));
}
/// Drops the lower bits. Operands: x, scale, zero point, bits of the operand, bits of the result.
void qonnx_trunc(Import& n) {
    const double dropped = std::exp2(n.scalar(3) - n.scalar(4));
    const std::string mode = n.get_string("rounding_mode", {"FLOOR", "ROUND", "CEIL"});
    const ValueId q = n.unary(op::round, n.binary(op::add, n.binary(op::divide, n.x(0), n.x(1)), n.x(2)));
    const ValueId cut = n.unary(mode == "FLOOR"  ? op::floor
                                : mode == "CEIL" ? op::ceil
                                                 : op::round,
                                n.scaled(q, 1 / dropped));
    n.add_output(n.binary(op::multiply, n.binary(op::subtract, n.scaled(cut, dropped), n.x(2)), n.x(1)));
}

}  // namespace

const ImportRules& quantize_rules() {
    static const ImportRules rules{
        {"QuantizeLinear", quantize},
        {"DequantizeLinear", dequantize},
        {"DynamicQuantizeLinear", dynamic_quantize},
    };
    return rules;
}

const ImportRules& contrib_quantize_rules() {
    static const ImportRules rules{
        {"QuantizeLinear", quantize},
        {"DequantizeLinear", dequantize},
        {"QLinearAdd", qlinear_add},
        {"QLinearMul", qlinear_mul},
        {"QLinearSigmoid", qlinear_sigmoid},
        {"QLinearLeakyRelu", qlinear_leaky_relu},
        {"QLinearWhere", qlinear_where},
        {"QLinearSoftmax", qlinear_softmax},
        {"QLinearAveragePool", qlinear_average},
        {"QLinearGlobalAveragePool", qlinear_global_average},
        {"QLinearConcat", qlinear_concat},
        {"QGemm", qgemm},
        {"DynamicQuantizeMatMul", dynamic_quantize_matmul},
        {"MatMulIntegerToFloat", matmul_integer_to_float},
        {"DynamicQuantizeLSTM", dynamic_quantize_lstm},
    };
    return rules;
}

const ImportRules& qonnx_rules() {
    static const ImportRules rules{{"Quant", qonnx_quant}, {"BipolarQuant", qonnx_bipolar}, {"Trunc", qonnx_trunc}};
    return rules;
}

}  // namespace ttsim::impl::ir
