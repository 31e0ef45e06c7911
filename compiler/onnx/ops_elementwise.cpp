// Elementwise ONNX ops without a single counterpart in the compiler. Ops with a counterpart need no rule
// (OpInfo::onnx).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/tensor.hpp"

namespace ttsim::impl::ir {

namespace {

/// Applies a binary op to all operands from left to right.
void fold(Import& n, OpId op) {
    ValueId sum = n.x(0);
    for (std::size_t k = 1; k < n.in.size(); ++k) sum = n.binary(op, sum, n.x(k));
    n.add_output(sum);
}
void maximum(Import& n) { fold(n, op::maximum); }
void minimum(Import& n) { fold(n, op::minimum); }
void sum(Import& n) { fold(n, op::add); }
void mean(Import& n) {
    sum(n);
    n.out[0] = n.b.mean_of(n.out[0], std::ssize(n.in));
}
void leaky_relu(Import& n) { n.add_output(n.unary(op::lrelu, n.x(0), {attr::slope(n.f("alpha", 0.01))})); }
void prelu(Import& n) {
    if (n.is_integer(0)) {
        const ValueId zero = n.number(0, n.x(0)), below = n.binary(op::minimum, n.x(0), zero);
        return n.add_output(
            n.binary(op::add, n.binary(op::maximum, n.x(0), zero), n.binary(op::multiply, below, n.x(1))));
    }
    const ValueId below = n.unary(op::relu, n.unary(op::neg, n.x(0)));
    n.add_output(n.binary(op::subtract, n.unary(op::relu, n.x(0)), n.binary(op::multiply, below, n.x(1))));
}
void elu(Import& n) { n.add_output(n.unary(op::elu, n.x(0), {attr::alpha(n.f("alpha", 1))})); }
void celu(Import& n) {
    const double alpha = n.f("alpha", 1);
    n.add_output(n.scaled(n.unary(op::elu, n.scaled(n.x(0), 1 / alpha), {attr::alpha(1.0)}), alpha));
}
void selu(Import& n) {
    const double alpha = n.f("alpha", 1.67326319217681884765625), gamma = n.f("gamma", 1.05070102214813232421875);
    n.add_output(n.scaled(n.unary(op::elu, n.x(0), {attr::alpha(alpha)}), gamma));
}
ValueId hard_sigmoid_of(Import& n, double alpha, double beta) {
    const ValueId line = n.binary(op::add, n.scaled(n.x(0), alpha), n.number(beta, n.x(0)));
    return n.unary(op::relu_max, line, {attr::threshold(1.0)});
}
void hard_sigmoid(Import& n) { n.add_output(hard_sigmoid_of(n, n.f("alpha", 0.2), n.f("beta", 0.5))); }
void hard_swish(Import& n) { n.add_output(n.binary(op::multiply, n.x(0), hard_sigmoid_of(n, 1.0 / 6, 0.5))); }
void softsign(Import& n) {
    n.add_output(n.binary(op::divide, n.x(0), n.binary(op::add, n.unary(op::abs, n.x(0)), n.number(1, n.x(0)))));
}
ValueId is_above(Import& n, ValueId x, double limit) {
    return n.b.cast(n.binary(op::greater, x, n.number(limit, x)), n.b.type(x).dtype);
}
void thresholded_relu(Import& n) { n.add_output(n.binary(op::multiply, n.x(0), is_above(n, n.x(0), n.f("alpha", 1)))); }
/// The device's formats have no NaN. The host finds NaN in constants.
void is_nan(Import& n) { n.add_output(n.unary(op::not_, n.binary(op::equal, n.x(0), n.x(0)))); }
/// Values beyond the largest float32.
void is_inf(Import& n) {
    constexpr double largest = 3.4028234663852886e38;
    const bool up = n.i("detect_positive", 1) != 0, down = n.i("detect_negative", 1) != 0;
    const ValueId x = n.x(0), most = n.number(largest, x);
    if (!up && !down) return n.add_output(n.binary(op::greater, n.unary(op::neg, n.unary(op::abs, x)), most));
    n.add_output(n.binary(op::greater, up && down ? n.unary(op::abs, x) : up ? x : n.unary(op::neg, x), most));
}
void swiglu(Import& n) {
    const ValueId gate = n.unary(op::sigmoid, n.scaled(n.x(0), n.f("alpha", 1)));
    n.add_output(n.binary(op::multiply, n.binary(op::multiply, n.x(0), gate), n.x(1)));
}
void mish(Import& n) { n.add_output(n.binary(op::multiply, n.x(0), n.unary(op::tanh, n.unary(op::softplus, n.x(0))))); }
void gelu(Import& n) {
    n.add_output(n.unary(n.get_string("approximate", {"none", "tanh"}) == "none" ? op::gelu_erf : op::gelu, n.x(0)));
}
void swish(Import& n) {
    n.add_output(n.binary(op::multiply, n.x(0), n.unary(op::sigmoid, n.scaled(n.x(0), n.f("alpha", 1)))));
}
/// Integers are cast to floats, because limit and bias are floats.
void shrink(Import& n) {
    const double limit = n.f("lambd", 0.5), bias = n.f("bias", 0);
    const ValueId x = n.is_integer(0) ? n.b.cast(n.x(0), DType::F32) : n.x(0),
                  low = is_above(n, n.unary(op::neg, x), limit), high = is_above(n, x, limit);
    const ValueId up = n.binary(op::multiply, n.binary(op::add, x, n.number(bias, x)), low);
    const ValueId y = n.binary(op::add, up, n.binary(op::multiply, n.binary(op::subtract, x, n.number(bias, x)), high));
    n.add_output(n.b.cast(y, n.b.type(n.x(0)).dtype));
}
void tangent(Import& n) { n.add_output(n.binary(op::divide, n.unary(op::sine, n.x(0)), n.unary(op::cosine, n.x(0)))); }
/// (e^x + sign * e^-x) / 2
void hyperbolic(Import& n, double sign) {
    const ValueId e = n.unary(op::exp, n.x(0)), inverse = n.unary(op::exp, n.unary(op::neg, n.x(0)));
    n.add_output(n.scaled(n.binary(op::add, e, n.scaled(inverse, sign)), 0.5));
}
void sinh(Import& n) { hyperbolic(n, -1); }
void cosh(Import& n) { hyperbolic(n, 1); }
/// asin(x) = 2 atan(x / (1 + sqrt(1 - x^2))); the divisor is never zero.
ValueId arc_sine(Import& n) {
    const ValueId x = n.x(0), one = n.number(1, x);
    const ValueId root = n.unary(op::sqrt, n.binary(op::subtract, one, n.unary(op::square, x)));
    return n.scaled(n.unary(op::atan, n.binary(op::divide, x, n.binary(op::add, one, root))), 2);
}
void asin(Import& n) { n.add_output(arc_sine(n)); }
void acos(Import& n) { n.add_output(n.binary(op::subtract, n.number(std::numbers::pi / 2, n.x(0)), arc_sine(n))); }

void shift_bits(Import& n) {
    n.add_output(n.binary(n.get_string("direction", {"LEFT", "RIGHT"}) == "LEFT" ? op::shift_left : op::shift_right,
                          n.x(0), n.x(1)));
}

void bit_cast(Import& n) {
    const auto to = n.dtype("to", 0);
    if (!to) n.unsupported("it reinterprets bits as a type that is neither number nor boolean");
    n.add_output(n.unary(op::bit_cast, n.x(0), {attr::dtype(std::string(to_string(*to)))}));
}

// removed ops of old models
void affine(Import& n) {
    n.add_output(n.binary(op::add, n.scaled(n.x(0), n.f("alpha", 1)), n.number(n.f("beta", 0), n.x(0))));
}
void scale(Import& n) { n.add_output(n.scaled(n.x(0), n.f("scale", 1))); }
void parametric_softplus(Import& n) {
    n.add_output(n.scaled(n.unary(op::softplus, n.scaled(n.x(0), n.f("beta", 1))), n.f("alpha", 1)));
}
void scaled_tanh(Import& n) {
    n.add_output(n.scaled(n.unary(op::tanh, n.scaled(n.x(0), n.f("beta", 1))), n.f("alpha", 1)));
}

void modulo(Import& n) {
    if (n.opset < 28 && n.i("fmod", 0) == 0 && !n.is_integer(0)) n.wrong("fmod = 0 needs integers");
    n.add_output(n.b.add(op::modulo, {n.x(0), n.x(1)}, {attr::fmod(n.i("fmod", 0))}));
}

void clip(Import& n) {
    ValueId x = n.x(0);
    const bool attributes = n.opset < 11;
    if (attributes ? n.has_attribute("min") : n.has(1))
        x = n.binary(op::maximum, x, attributes ? n.number(n.f("min", 0), x) : n.x(1));
    if (attributes ? n.has_attribute("max") : n.has(2))
        x = n.binary(op::minimum, x, attributes ? n.number(n.f("max", 0), x) : n.x(2));
    n.add_output(x);
}

void where(Import& n) { n.add_output(n.b.add(op::where, {n.x(0), n.x(1), n.x(2)})); }

void cast_to(Import& n, std::optional<DType> to) {
    if (!to) n.unsupported("it casts to a type that is neither number nor boolean");
    n.add_output(n.b.cast(n.x(0), *to));
}
void cast(Import& n) { cast_to(n, n.dtype("to", 1)); }
void cast_like(Import& n) { cast_to(n, n.b.type(n.x(1)).dtype); }

void identity_op(Import& n) { n.add_output(n.x(0)); }
void dropout(Import& n) {
    const double ratio = n.has(1) ? n.scalar(1) : 0.5;
    if (n.has(2) && n.scalar(2) != 0 && ratio != 0) {
        if (n.outputs() > 1) n.unsupported("the mask of a dropout in training mode");
        return n.add_output(n.unary(op::dropout, n.x(0), {attr::p(ratio), attr::seed(n.i("seed", 0))}));
    }
    n.add_output(n.x(0));
    if (n.outputs() < 2) return;
    Literal mask(DType::Bool, n.dims());
    std::fill(mask.integer_elements().begin(), mask.integer_elements().end(), 1);
    n.add_output(n.b.constant(std::move(mask)));
}

}  // namespace

const ImportRules& elementwise_rules() {
    static const ImportRules rules{
        {"Max", maximum},
        {"Min", minimum},
        {"Sum", sum},
        {"Mean", mean},
        {"LeakyRelu", leaky_relu},
        {"PRelu", prelu},
        {"Elu", elu},
        {"Celu", celu},
        {"Selu", selu},
        {"HardSigmoid", hard_sigmoid},
        {"HardSwish", hard_swish},
        {"Softsign", softsign},
        {"IsNaN", is_nan},
        {"Mish", mish},
        {"Gelu", gelu},
        {"Swish", swish},
        {"SwiGLU", swiglu},
        {"IsInf", is_inf},
        {"ThresholdedRelu", thresholded_relu},
        {"Shrink", shrink},
        {"Tan", tangent},
        {"Sinh", sinh},
        {"Cosh", cosh},
        {"Asin", asin},
        {"Acos", acos},
        {"BitShift", shift_bits},
        {"BitCast", bit_cast},
        {"Affine", affine},
        {"Scale", scale},
        {"ParametricSoftplus", parametric_softplus},
        {"ScaledTanh", scaled_tanh},
        {"Mod", modulo},
        {"Clip", clip},
        {"Where", where},
        {"Cast", cast},
        {"CastLike", cast_like},
        {"Identity", identity_op},
        {"Dropout", dropout},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
