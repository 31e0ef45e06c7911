// ONNX's quantizers, and the ops of com.microsoft that work on quantized numbers: these compute with floats between
// two quantizers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/onnx/join.hpp"
#include "compiler/onnx/quantize.hpp"

namespace ttsim::impl::ir {

namespace {

/// Blocks are of opset 21: of the attribute's size, where scale and operand have the same rank.
std::int64_t block_of(Import& n) {
    const std::int64_t block = n.i("block_size", 0);
    if (block < 0) n.wrong("block_size is {}", block);
    return block;
}

/// The axis counts only where there is more than one scale.
std::int64_t axis_of(Import& n) {
    return count(n.dims(1)) == 1 && n.i("block_size", 0) == 0 ? 0 : n.axis(n.i("axis", 1), n.rank());
}

void quantize(Import& n) {
    const std::int64_t axis = axis_of(n), block = block_of(n);
    std::optional<DType> to = n.has(2) ? n.b.type(n.x(2)).dtype : DType::U8;
    if (!n.has(2) && n.i("output_dtype", 0) != 0) to = n.dtype("output_dtype", 2);
    if (!to) n.unsupported("a grid of the ONNX type {}; i8, u8, i16 and u16 are known", n.i("output_dtype", 0));
    const Dims dims = n.dims();
    const ValueId x = n.b.cast(n.x(0), DType::F32);
    const ValueId y = n.two("divide", x, n.b.cast(along_axis(n, n.x(1), dims, axis, block), DType::F32));
    const ValueId zero = n.has(2) ? n.b.cast(along_axis(n, n.x(2), dims, axis, block), DType::F32) : n.b.scalar(0);
    n.give(on_grid(n, y, zero, *to));
}

void dequantize(Import& n) {
    const std::int64_t axis = axis_of(n), block = block_of(n);
    const Dims dims = n.dims();
    ValueId y = n.b.cast(n.x(0), DType::F32);
    if (n.has(2)) y = n.two("subtract", y, n.b.cast(along_axis(n, n.x(2), dims, axis, block), DType::F32));
    const DType to = n.b.type(n.x(1)).dtype;
    n.give(n.b.cast(n.two("multiply", y, n.b.cast(along_axis(n, n.x(1), dims, axis, block), DType::F32)), to));
}

/// To u8 with scale and zero point from the range of the values, 0 included.
void dynamic_quantize(Import& n) {
    ValueId most = n.x(0), least = n.one("neg", n.x(0));
    for (std::int64_t axis = 0; axis < n.rank(); ++axis) {
        most = n.one("reduce_max", most, {{"axis", axis}});
        least = n.one("reduce_max", least, {{"axis", axis}});
    }
    most = n.one("relu", n.b.reshape(most, {}));
    least = n.one("neg", n.one("relu", n.b.reshape(least, {})));
    const ValueId scale = n.two("divide", n.two("subtract", most, least), n.b.scalar(255));
    const ValueId zero = on_grid(n, n.two("divide", n.one("neg", least), scale), n.b.scalar(0), DType::U8);
    n.give(on_grid(n, n.two("divide", n.x(0), scale), n.b.cast(zero, DType::F32), DType::U8));
    n.give(scale);
    n.give(zero);
}

// --- com.microsoft ------------------------------------------------------------------------------------------------

void qlinear_add(Import& n) { n.give(quantized(n, n.two("add", dequantized(n, 0), dequantized(n, 3)), 6)); }
void qlinear_mul(Import& n) { n.give(quantized(n, n.two("multiply", dequantized(n, 0), dequantized(n, 3)), 6)); }
void qlinear_sigmoid(Import& n) { n.give(quantized(n, n.one("sigmoid", dequantized(n, 0)), 3)); }
void qlinear_leaky_relu(Import& n) {
    n.give(quantized(n, n.one("lrelu", dequantized(n, 0), {{"slope", n.f("alpha", 0.01)}}), 3));
}
void qlinear_where(Import& n) {
    n.give(quantized(n, n.b.add("where", {n.x(0), dequantized(n, 1), dequantized(n, 4)}), 7));
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
    x = n.one("softmax", x, {{"axis", one_axis ? axis : 1}});
    n.give(quantized(n, n.b.reshape(x, dims), 3));
}

ValueId channels_moved(Import& n, ValueId x, bool last) {
    std::vector<std::int64_t> perm(n.b.dims(x).size());
    std::iota(perm.begin(), perm.end(), 0);
    if (perm.size() < 3) n.wrong("{} has no channels and positions", to_string(n.b.type(x)));
    std::rotate(perm.begin() + 1, last ? perm.begin() + 2 : perm.end() - 1, perm.end());
    return n.b.transpose(x, perm);
}

/// The op of ONNX on floats that were quantized, and back; channels may come last.
void between_quantizers(Import& n, const char* op) {
    const bool last = n.i("channels_last", 0) != 0;
    const ValueId x = dequantized(n, 0);
    n.in[0] = last ? channels_moved(n, x, false) : x;
    find_rule("", op)(n);
    const ValueId y = last ? channels_moved(n, n.out[0], true) : n.out[0];
    n.out = {quantized(n, y, 3)};
}
void qlinear_average(Import& n) { between_quantizers(n, "AveragePool"); }
void qlinear_global_average(Import& n) { between_quantizers(n, "GlobalAveragePool"); }

/// Scale and zero point of the result, then three operands of each part.
void qlinear_concat(Import& n) {
    if (n.in.size() < 5 || (n.in.size() - 2) % 3 != 0) n.wrong("it has {} operands", n.in.size());
    std::optional<ValueId> all;
    for (std::size_t k = 2; k < n.in.size(); k += 3) {
        const ValueId part = dequantized(n, k);
        const std::int64_t axis = n.axis(n.i("axis", 0), n.rank(k));
        all = all ? joined(n, *all, part, axis) : part;
    }
    n.give(quantized(n, *all, 0));
}

ValueId turned_if(Import& n, ValueId x, bool iteration) { return iteration ? n.b.transpose(x, {1, 0}) : x; }

/// A, B with scales and zero points, C (at the scale of both), then those of the result, without which it is a float.
void qgemm(Import& n) {
    if (n.rank(0) != 2 || n.rank(3) != 2) n.wrong("its operands are no matrices");
    const bool turn_b = n.i("transB", 0) != 0;
    const ValueId a = turned_if(n, dequantized(n, 0), n.i("transA", 0) != 0);
    const ValueId b = turned_if(n, dequantized(n, 3, turn_b ? 0 : 1), turn_b);
    ValueId y = n.two("matmul", a, b);
    if (n.has(6)) {
        const ValueId both = n.two("multiply", n.b.reshape(n.x(1), {}), along_axis(n, n.x(4), {1, 1}, 1));
        y = n.two("add", y, n.two("multiply", n.b.cast(n.x(6), DType::F32), both));
    }
    y = n.scaled(y, n.f("alpha", 1));
    n.give(n.has(7) ? quantized(n, y, 7) : y);
}

ValueId with_bias(Import& n, ValueId y, std::size_t k) { return n.has(k) ? n.two("add", y, n.x(k)) : y; }

/// A (floats), B with scale and zero point, bias. A is not rounded to a grid: its grid only approximates it.
void dynamic_quantize_matmul(Import& n) {
    const std::optional<ValueId> zero = n.has(3) ? std::optional(n.x(3)) : std::nullopt;
    const ValueId b = dequantized(n, n.x(1), n.x(2), zero, n.rank(1) - 1);
    n.give(with_bias(n, n.two("matmul", n.x(0), b), 4));
}

/// A, B, their scales, their zero points, bias.
void matmul_integer_to_float(Import& n) {
    const auto operand = [&](std::size_t k) {
        const std::optional<ValueId> zero = n.has(k + 4) ? std::optional(n.x(k + 4)) : std::nullopt;
        return dequantized(n, n.x(k), n.x(k + 2), zero, k == 1 ? n.rank(1) - 1 : n.rank(0) - 2);
    };
    n.give(with_bias(n, n.two("matmul", operand(0), operand(1)), 6));
}

/// LSTM whose matrices are integers [directions, columns, gates]: X, W, R, B, lengths, states, peepholes, then
/// scale and zero point of W and of R.
void dynamic_quantize_lstm(Import& n) {
    if (n.rank(1) != 3 || n.rank(2) != 3) n.wrong("its matrices have not the rank 3");
    const auto matrix = [&](std::size_t k, std::size_t scale) {
        const Dims d = n.dims(k);
        if (d[0] < 1) n.wrong("operand {} has no directions", k);
        const auto spread = [&](std::size_t at) {  // one for each direction, or for each of its columns
            const std::int64_t given = count(n.dims(at));
            return n.b.cast(n.b.reshape(n.x(at), {d[0], 1, given / d[0]}), DType::F32);
        };
        ValueId y = n.b.cast(n.x(k), DType::F32);
        if (n.has(scale + 1)) y = n.two("subtract", y, spread(scale + 1));
        return n.b.transpose(n.two("multiply", y, spread(scale)), {0, 2, 1});
    };
    n.in[1] = matrix(1, 8);
    n.in[2] = matrix(2, 10);
    n.in.resize(8);
    find_rule("", "LSTM")(n);
}

// --- quantizers of training frameworks (qonnx) ----------------------------------------------------------------------

/// x, scale, zero point, bits: rounded to the grid and back.
void qonnx_quant(Import& n) {
    const double bits = n.only(3);
    const bool with_sign = n.i("signed", 1) != 0, narrow = n.i("narrow", 0) != 0;
    const double steps = std::exp2(with_sign ? bits - 1 : bits);
    const double low = with_sign ? -steps + (narrow ? 1 : 0) : 0, high = with_sign || !narrow ? steps - 1 : steps - 2;
    ValueId y = n.two("add", n.two("divide", n.x(0), n.x(1)), n.x(2));
    y = n.two("minimum", n.two("maximum", y, n.b.scalar(low)), n.b.scalar(high));
    const std::string mode = n.word("rounding_mode", {"ROUND", "CEIL", "FLOOR", "ROUND_TO_ZERO"});
    y = n.one(mode == "ROUND" ? "round" : mode == "CEIL" ? "ceil" : mode == "FLOOR" ? "floor" : "truncate", y);
    n.give(n.two("multiply", n.two("subtract", y, n.x(2)), n.x(1)));
}
void qonnx_bipolar(Import& n) {
    const ValueId above = n.b.cast(n.two("greater_equal", n.x(0), n.b.scalar(0)), DType::F32);
    n.give(n.two("multiply", n.two("subtract", n.scaled(above, 2), n.b.scalar(1)), n.x(1)));
}
/// x, scale, zero point, bits of the operand, bits of the result: the lower bits are dropped.
void qonnx_trunc(Import& n) {
    const double dropped = std::exp2(n.only(3) - n.only(4));
    const std::string mode = n.word("rounding_mode", {"FLOOR", "ROUND", "CEIL"});
    const ValueId q = n.one("round", n.two("add", n.two("divide", n.x(0), n.x(1)), n.x(2)));
    const ValueId cut = n.one(mode == "FLOOR" ? "floor" : mode == "CEIL" ? "ceil" : "round", n.scaled(q, 1 / dropped));
    n.give(n.two("multiply", n.two("subtract", n.scaled(cut, dropped), n.x(2)), n.x(1)));
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
