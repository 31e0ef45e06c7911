// Ops that work datum by datum, with NumPy broadcasting. Those named like an op of the device are core ops.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "compiler/ops/device.hpp"
#include "compiler/ops/op_lists.hpp"

namespace tt::ir {

namespace {

/// Datum numbers of an operand while the broadcast result is walked in order.
class Walk {
public:
    Walk(const Dims& in, const Dims& out) : out_(out), at_(out.size(), 0), step_(out.size(), 0) {
        const Dims steps = strides(in);
        const std::size_t skip = out.size() - in.size();
        for (std::size_t i = 0; i < in.size(); ++i) step_[skip + i] = in[i] == 1 ? 0 : steps[i];
    }
    std::int64_t next() {
        const std::int64_t here = index_;
        for (std::size_t i = out_.size(); i-- > 0;) {
            index_ += step_[i];
            if (++at_[i] < out_[i]) break;
            index_ -= step_[i] * out_[i];
            at_[i] = 0;
        }
        return here;
    }

private:
    Dims out_, at_, step_;
    std::int64_t index_ = 0;
};

Type infer_same(const Node&, std::span<const Type> in) { return in[0]; }
Type infer_cast(const Node& node, std::span<const Type> in) {
    const std::string to = node.word("to", "f32");
    const auto dtype = parse_dtype(to);
    if (!dtype) fail_input(node.loc, "'{}' casts to '{}', which is no element type", node.name, to);
    return {*dtype, in[0].dims, {}};
}
Type infer_all(const Node& node, std::span<const Type> in) {
    Type out = in.back();
    for (const Type& t : in) out.dims = broadcast(node, out.dims, t.dims);
    return out;
}
Type infer_test(const Node& node, std::span<const Type> in) {
    return {DType::Bool, broadcast(node, in[0].dims, in[1].dims), {}};
}

/// An axis of a result, and how far two operands move along it.
struct Axis {
    std::int64_t size = 1, step_a = 0, step_b = 0;
};

/// Of dims of more than no datum; neighbours along which both operands move as along one are one axis. At least one.
std::vector<Axis> joined_axes(const Dims& a, const Dims& b, const Dims& out) {
    const auto step = [&](const Dims& in, std::size_t axis) {
        const std::size_t skip = out.size() - in.size();
        return axis < skip || in[axis - skip] == 1 ? 0 : strides(in)[axis - skip];
    };
    std::vector<Axis> axes(1);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Axis axis{out[i], step(a, i), step(b, i)};
        Axis& last = axes.back();
        const bool as_one = last.step_a == axis.step_a * axis.size && last.step_b == axis.step_b * axis.size;
        if (axis.size == 1) continue;
        if (last.size == 1 || as_one)
            last = {last.size * axis.size, axis.step_a, axis.step_b};
        else
            axes.push_back(axis);
    }
    return axes;
}

/// Floats of two operands along these axes, to one result behind the other: weights by the million, which a
/// normalisation behind them scales.
template <double (*F)(const Node&, double, double)>
float* eval_along(const Node& node, std::span<const Axis> axes, const float* a, const float* b, float* to) {
    const Axis& axis = axes.front();
    for (std::int64_t i = 0; i < axis.size; ++i, a += axis.step_a, b += axis.step_b) {
        if (axes.size() > 1)
            to = eval_along<F>(node, axes.subspan(1), a, b, to);
        else
            *to++ = static_cast<float>(F(node, static_cast<double>(*a), static_cast<double>(*b)));
    }
    return to;
}

template <double (*F)(const Node&, double)>
Literal eval1(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, most_read);
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, F(node, in[0]->at(i)));
    return out;
}
template <double (*F)(const Node&, double, double)>
Literal eval2(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, most_read);
    if (out.dtype() == DType::F32 && is_float(in[0]->dtype()) && is_float(in[1]->dtype()) && out.size() > 0) {
        eval_along<F>(node, joined_axes(in[0]->dims(), in[1]->dims(), out.dims()), in[0]->floats().data(),
                      in[1]->floats().data(), out.floats().data());
        return out;
    }
    Walk a(in[0]->dims(), out.dims()), b(in[1]->dims(), out.dims());
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, F(node, in[0]->at(a.next()), in[1]->at(b.next())));
    return out;
}
Literal eval_where(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, most_read);
    Walk c(in[0]->dims(), out.dims()), a(in[1]->dims(), out.dims()), b(in[2]->dims(), out.dims());
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t x = a.next(), y = b.next();
        out.set(i, in[0]->at(c.next()) != 0 ? in[1]->at(x) : in[2]->at(y));
    }
    return out;
}

Literal eval_lrelu(const Node& node, std::span<const Literal* const> in) {
    OpAttributes attr;
    read_attributes(node, *device_def("buda." + node.op), attr);
    Literal out(node.type.dtype, node.type.dims, most_read);
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const double x = in[0]->at(i);
        out.set(i, x > 0 ? x : attr.slope * x);
    }
    return out;
}

double gelu_tanh(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double divide(const Node& n, double a, double b) {
    if (is_float(n.type.dtype)) return a / b;
    return b == 0 ? 0 : std::trunc(a / b);
}
double modulo(const Node& n, double a, double b) {
    if (b == 0 && !is_float(n.type.dtype)) return 0;
    const double rest = std::fmod(a, b);
    const bool other_sign = n.integer("fmod", 0) == 0 && rest != 0 && (rest < 0) != (b < 0);
    return other_sign ? rest + b : rest;
}
double round_even(double x) { return std::nearbyint(x); }
/// a, in steps of a grid, as a number of it; b stands for 0.
double quantize(const Node& n, double a, double b) {
    return std::clamp(round_even(a) + b, n.number("low", 0), n.number("high", 255));
}
/// a * b, plus what stands for 0, as Int8 holds it: from offset - 127 to offset + 127.
double nearest_int8(const Node& n, double a, double b) {
    const double offset = n.number("offset", 0);
    return std::clamp(round_even(a * b + n.number("zero", 0) - offset), -127.0, 127.0) + offset;
}

template <double (*F)(const Node&, double)>
constexpr OpInfo unary(std::string_view name, Level level, std::string_view onnx) {
    return {.name = name,
            .level = level,
            .min_inputs = 1,
            .max_inputs = 1,
            .infer = infer_same,
            .eval = eval1<F>,
            .elementwise = true,
            .onnx = onnx};
}
template <double (*F)(const Node&, double, double)>
constexpr OpInfo binary(std::string_view name, Level level, std::string_view onnx, bool test = false) {
    return {.name = name,
            .level = level,
            .min_inputs = 2,
            .max_inputs = 2,
            .infer = test ? infer_test : infer_elementwise,
            .eval = eval2<F>,
            .elementwise = true,
            .onnx = onnx};
}

#define TT_UNARY(NAME, LEVEL, ONNX, EXPRESSION)    \
    unary<([](const Node& n, double x) -> double { \
        static_cast<void>(n);                      \
        return EXPRESSION;                         \
    })>(NAME, Level::LEVEL, ONNX)
#define TT_BINARY(NAME, LEVEL, ONNX, EXPRESSION)              \
    binary<([](const Node& n, double a, double b) -> double { \
        static_cast<void>(n);                                 \
        return EXPRESSION;                                    \
    })>(NAME, Level::LEVEL, ONNX)
#define TT_TEST(NAME, ONNX, EXPRESSION)                                                           \
    binary<([](const Node&, double a, double b) -> double { return (EXPRESSION) ? 1.0 : 0.0; })>( \
        NAME, Level::Composite, ONNX, true)

constexpr std::array elementwise_table{
    // ops of the device
    TT_UNARY("nop", Core, "", x),
    TT_UNARY("exp", Core, "Exp", std::exp(x)),
    TT_UNARY("log", Core, "Log", std::log(x)),
    TT_UNARY("sqrt", Core, "Sqrt", std::sqrt(x)),
    TT_UNARY("reciprocal", Core, "Reciprocal", 1 / x),
    TT_UNARY("sigmoid", Core, "Sigmoid", 1 / (1 + std::exp(-x))),
    TT_UNARY("tanh", Core, "Tanh", std::tanh(x)),
    TT_UNARY("sine", Core, "Sin", std::sin(x)),
    TT_UNARY("cosine", Core, "Cos", std::cos(x)),
    TT_UNARY("abs", Core, "Abs", std::fabs(x)),
    TT_UNARY("square", Core, "", x* x),
    TT_UNARY("gelu", Core, "", gelu_tanh(x)),
    OpInfo{.name = "lrelu",
           .level = Level::Core,
           .min_inputs = 1,
           .max_inputs = 1,
           .infer = infer_same,
           .eval = eval_lrelu,
           .elementwise = true},
    TT_UNARY("relu", Core, "Relu", std::max(x, 0.0)),
    TT_UNARY("relu_max", Core, "", std::min(std::max(x, 0.0), n.number("threshold", 1))),
    TT_BINARY("round_int8", Core, "", nearest_int8(n, a, b)),
    TT_BINARY("add", Core, "Add", a + b),
    TT_BINARY("subtract", Core, "Sub", a - b),
    TT_BINARY("multiply", Core, "Mul", a* b),
    TT_BINARY("maximum", Core, "", std::max(a, b)),
    // taken apart by decompose-elementwise
    TT_UNARY("neg", Composite, "Neg", -x),
    TT_UNARY("erf", Composite, "Erf", std::erf(x)),
    TT_UNARY("atan", Composite, "Atan", std::atan(x)),
    TT_UNARY("asinh", Composite, "Asinh", std::asinh(x)),
    TT_UNARY("acosh", Composite, "Acosh", std::acosh(x)),
    TT_UNARY("atanh", Composite, "Atanh", std::atanh(x)),
    TT_UNARY("gelu_erf", Composite, "", 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2))),
    TT_UNARY("sign", Composite, "Sign",
             x > 0   ? 1.0
             : x < 0 ? -1.0
                     : 0.0),
    TT_UNARY("floor", Composite, "Floor", std::floor(x)),
    TT_UNARY("ceil", Composite, "Ceil", std::ceil(x)),
    TT_UNARY("round", Composite, "Round", round_even(x)),
    TT_UNARY("truncate", Composite, "", std::trunc(x)),
    TT_UNARY("not", Composite, "Not", x != 0 ? 0.0 : 1.0),
    TT_UNARY("softplus", Composite, "Softplus", std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)))),
    TT_UNARY("elu", Composite, "", x > 0 ? x : n.number("alpha", 1) * std::expm1(x)),
    TT_BINARY("quantize", Composite, "", quantize(n, a, b)),
    TT_BINARY("divide", Composite, "Div", divide(n, a, b)),
    TT_BINARY("minimum", Composite, "", std::min(a, b)),
    TT_BINARY("power", Composite, "Pow", std::pow(a, b)),
    TT_BINARY("modulo", Composite, "", modulo(n, a, b)),
    TT_TEST("equal", "Equal", a == b),
    TT_TEST("less", "Less", a < b),
    TT_TEST("greater", "Greater", a > b),
    TT_TEST("less_equal", "LessOrEqual", a <= b),
    TT_TEST("greater_equal", "GreaterOrEqual", a >= b),
    TT_TEST("and", "And", a != 0 && b != 0),
    TT_TEST("or", "Or", a != 0 || b != 0),
    TT_TEST("xor", "Xor", (a != 0) != (b != 0)),
    OpInfo{.name = "where",
           .level = Level::Composite,
           .min_inputs = 3,
           .max_inputs = 3,
           .infer = infer_all,
           .eval = eval_where,
           .elementwise = true},
    OpInfo{.name = "cast",
           .level = Level::Composite,
           .min_inputs = 1,
           .max_inputs = 1,
           .infer = infer_cast,
           .eval = eval1<([](const Node&, double x) -> double { return x; })>,
           .elementwise = true},
};

}  // namespace

std::span<const OpInfo> elementwise_ops() { return elementwise_table; }

Type infer_elementwise(const Node& node, std::span<const Type> in) {
    Type out{in[0].dtype, in[0].dims, {}};
    for (const Type& type : in.subspan(1)) out.dims = broadcast(node, out.dims, type.dims);
    return out;
}

}  // namespace tt::ir
