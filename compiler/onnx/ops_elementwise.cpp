// ONNX ops that work elementwise and are not one op of ours: those have no rule (OpInfo::onnx).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/tensor.hpp"

namespace ttsim::impl::ir {

namespace {

/// Two by two.
void fold(Import& n, const char* op) {
    ValueId sum = n.x(0);
    for (std::size_t k = 1; k < n.in.size(); ++k) sum = n.two(op, sum, n.x(k));
    n.give(sum);
}
void most(Import& n) { fold(n, "maximum"); }
void least(Import& n) { fold(n, "minimum"); }
void sum(Import& n) { fold(n, "add"); }
void mean(Import& n) {
    sum(n);
    n.out[0] = n.b.averaged(n.out[0], std::ssize(n.in));
}
void leaky_relu(Import& n) { n.give(n.one("lrelu", n.x(0), {{"slope", n.f("alpha", 0.01)}})); }
void prelu(Import& n) {
    if (n.is_integer(0)) {
        const ValueId zero = n.number(0, n.x(0)), below = n.two("minimum", n.x(0), zero);
        return n.give(n.two("add", n.two("maximum", n.x(0), zero), n.two("multiply", below, n.x(1))));
    }
    const ValueId below = n.one("relu", n.one("neg", n.x(0)));
    n.give(n.two("subtract", n.one("relu", n.x(0)), n.two("multiply", below, n.x(1))));
}
void elu(Import& n) { n.give(n.one("elu", n.x(0), {{"alpha", n.f("alpha", 1)}})); }
void celu(Import& n) {
    const double alpha = n.f("alpha", 1);
    n.give(n.scaled(n.one("elu", n.scaled(n.x(0), 1 / alpha), {{"alpha", 1.0}}), alpha));
}
void selu(Import& n) {
    const double alpha = n.f("alpha", 1.67326319217681884765625), gamma = n.f("gamma", 1.05070102214813232421875);
    n.give(n.scaled(n.one("elu", n.x(0), {{"alpha", alpha}}), gamma));
}
ValueId hard_sigmoid_of(Import& n, double alpha, double beta) {
    const ValueId line = n.two("add", n.scaled(n.x(0), alpha), n.number(beta, n.x(0)));
    return n.one("relu_max", line, {{"threshold", 1.0}});
}
void hard_sigmoid(Import& n) { n.give(hard_sigmoid_of(n, n.f("alpha", 0.2), n.f("beta", 0.5))); }
void hard_swish(Import& n) { n.give(n.two("multiply", n.x(0), hard_sigmoid_of(n, 1.0 / 6, 0.5))); }
void softsign(Import& n) { n.give(n.two("divide", n.x(0), n.two("add", n.one("abs", n.x(0)), n.number(1, n.x(0))))); }
ValueId above(Import& n, ValueId x, double limit) {
    return n.b.cast(n.two("greater", x, n.number(limit, x)), n.b.type(x).dtype);
}
void thresholded_relu(Import& n) { n.give(n.two("multiply", n.x(0), above(n, n.x(0), n.f("alpha", 1)))); }
/// No format of the device has a NaN; the host finds those of what it knows.
void is_nan(Import& n) { n.give(n.one("not", n.two("equal", n.x(0), n.x(0)))); }
/// Beyond the largest float32.
void is_inf(Import& n) {
    constexpr double largest = 3.4028234663852886e38;
    const bool up = n.i("detect_positive", 1) != 0, down = n.i("detect_negative", 1) != 0;
    const ValueId x = n.x(0), most = n.number(largest, x);
    if (!up && !down) return n.give(n.two("greater", n.one("neg", n.one("abs", x)), most));
    n.give(n.two("greater", up && down ? n.one("abs", x) : up ? x : n.one("neg", x), most));
}
void swiglu(Import& n) {
    const ValueId gate = n.one("sigmoid", n.scaled(n.x(0), n.f("alpha", 1)));
    n.give(n.two("multiply", n.two("multiply", n.x(0), gate), n.x(1)));
}
void mish(Import& n) { n.give(n.two("multiply", n.x(0), n.one("tanh", n.one("softplus", n.x(0))))); }
void gelu(Import& n) { n.give(n.one(n.word("approximate", {"none", "tanh"}) == "none" ? "gelu_erf" : "gelu", n.x(0))); }
void swish(Import& n) { n.give(n.two("multiply", n.x(0), n.one("sigmoid", n.scaled(n.x(0), n.f("alpha", 1))))); }
/// Limit and bias are floats: so are integers while they are compared with them.
void shrink(Import& n) {
    const double limit = n.f("lambd", 0.5), bias = n.f("bias", 0);
    const ValueId x = n.is_integer(0) ? n.b.cast(n.x(0), DType::F32) : n.x(0), low = above(n, n.one("neg", x), limit),
                  high = above(n, x, limit);
    const ValueId up = n.two("multiply", n.two("add", x, n.number(bias, x)), low);
    const ValueId y = n.two("add", up, n.two("multiply", n.two("subtract", x, n.number(bias, x)), high));
    n.give(n.b.cast(y, n.b.type(n.x(0)).dtype));
}
void tangent(Import& n) { n.give(n.two("divide", n.one("sine", n.x(0)), n.one("cosine", n.x(0)))); }
/// (e^x + sign * e^-x) / 2
void hyperbolic(Import& n, double sign) {
    const ValueId e = n.one("exp", n.x(0)), inverse = n.one("exp", n.one("neg", n.x(0)));
    n.give(n.scaled(n.two("add", e, n.scaled(inverse, sign)), 0.5));
}
void sinh(Import& n) { hyperbolic(n, -1); }
void cosh(Import& n) { hyperbolic(n, 1); }
/// 2 atan(x / (1 + sqrt(1 - x^2))), which divides by no zero.
ValueId arc_sine(Import& n) {
    const ValueId x = n.x(0), one = n.number(1, x);
    const ValueId root = n.one("sqrt", n.two("subtract", one, n.one("square", x)));
    return n.scaled(n.one("atan", n.two("divide", x, n.two("add", one, root))), 2);
}
void asin(Import& n) { n.give(arc_sine(n)); }
void acos(Import& n) { n.give(n.two("subtract", n.number(std::numbers::pi / 2, n.x(0)), arc_sine(n))); }

void shift_bits(Import& n) {
    n.give(n.two(n.word("direction", {"LEFT", "RIGHT"}) == "LEFT" ? "shift_left" : "shift_right", n.x(0), n.x(1)));
}

void bit_cast(Import& n) {
    const auto to = n.dtype("to", 0);
    if (!to) n.unsupported("it takes bits for a type that is no number or boolean");
    n.give(n.one("bit_cast", n.x(0), {{"dtype", std::string(to_string(*to))}}));
}

// old names
void affine(Import& n) { n.give(n.two("add", n.scaled(n.x(0), n.f("alpha", 1)), n.number(n.f("beta", 0), n.x(0)))); }
void scale(Import& n) { n.give(n.scaled(n.x(0), n.f("scale", 1))); }
void parametric_softplus(Import& n) {
    n.give(n.scaled(n.one("softplus", n.scaled(n.x(0), n.f("beta", 1))), n.f("alpha", 1)));
}
void scaled_tanh(Import& n) { n.give(n.scaled(n.one("tanh", n.scaled(n.x(0), n.f("beta", 1))), n.f("alpha", 1))); }

void modulo(Import& n) {
    if (n.opset < 28 && n.i("fmod", 0) == 0 && !n.is_integer(0)) n.wrong("fmod = 0 takes integers only");
    n.give(n.b.add("modulo", {n.x(0), n.x(1)}, {{"fmod", n.i("fmod", 0)}}));
}

void clip(Import& n) {
    ValueId x = n.x(0);
    const bool attributes = n.opset < 11;
    if (attributes ? n.given("min") : n.has(1))
        x = n.two("maximum", x, attributes ? n.number(n.f("min", 0), x) : n.x(1));
    if (attributes ? n.given("max") : n.has(2))
        x = n.two("minimum", x, attributes ? n.number(n.f("max", 0), x) : n.x(2));
    n.give(x);
}

void where(Import& n) { n.give(n.b.add("where", {n.x(0), n.x(1), n.x(2)})); }

void cast_to(Import& n, std::optional<DType> to) {
    if (!to) n.unsupported("it casts to a type that is no number or boolean");
    n.give(n.b.cast(n.x(0), *to));
}
void cast(Import& n) { cast_to(n, n.dtype("to", 1)); }
void cast_like(Import& n) { cast_to(n, n.b.type(n.x(1)).dtype); }

void pass_on(Import& n) { n.give(n.x(0)); }
void dropout(Import& n) {
    if (n.has(2) && n.only(2) != 0 && !(n.has(1) && n.only(1) == 0))
        n.unsupported("dropout in training mode gives random values");
    n.give(n.x(0));
    if (n.outputs() < 2) return;
    Literal mask(DType::Bool, n.dims());
    std::fill(mask.whole().begin(), mask.whole().end(), 1);
    n.give(n.b.constant(std::move(mask)));
}

}  // namespace

const ImportRules& elementwise_rules() {
    static const ImportRules rules{
        {"Max", most},
        {"Min", least},
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
        {"Identity", pass_on},
        {"Dropout", dropout},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
