// Elementwise ops with NumPy broadcasting. Those named like an op of the device are core ops.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "compiler/ir/integers.hpp"
#include "compiler/ops/device.hpp"
#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

/// Iterates over the element indices of an operand in the order of the broadcast result.
class BroadcastIterator {
public:
    BroadcastIterator(const Dims& in, const Dims& out) : out_(out), at_(out.size(), 0), step_(out.size(), 0) {
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
    const std::string to = node.get(attr::to);
    const auto dtype = parse_dtype(to);
    if (!dtype) fail_input(node.loc, "'{}' casts to '{}', which is not an element type", node.name, to);
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

/// An axis of a result, and the strides of two operands along it.
struct Axis {
    std::int64_t size = 1, step_a = 0, step_b = 0;
};

/// Axes of a result that is not empty. Adjacent axes that both operands traverse like one axis are merged. Returns at
/// least one axis.
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

/// Evaluates floats of two operands along these axes; results are contiguous. It is a fast path for weights with
/// millions of elements, as when a normalization is folded into them.
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

/// An op on integers; null: the op has none and computes with float64.
using IntegerUnary = std::int64_t (*)(const Node&, std::int64_t, DType);
using IntegerBinary = std::int64_t (*)(const Node&, std::int64_t, std::int64_t, DType);

bool all_integers(std::span<const Literal* const> in) {
    return std::none_of(in.begin(), in.end(), [](const Literal* x) { return is_float(x->dtype()); });
}

template <double (*F)(const Node&, double), IntegerUnary W>
Literal eval_unary(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    if constexpr (W != nullptr)
        if (all_integers(in) && !is_float(out.dtype())) {
            const std::vector<std::int64_t>& x = in[0]->integer_elements();
            std::transform(x.begin(), x.end(), out.integer_elements().begin(),
                           [&](std::int64_t v) { return W(node, v, out.dtype()); });
            return out;
        }
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, F(node, in[0]->at(i)));
    return out;
}
template <double (*F)(const Node&, double, double), IntegerBinary W>
Literal eval_binary(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    if (out.dtype() == DType::F32 && is_float(in[0]->dtype()) && is_float(in[1]->dtype()) && out.size() > 0) {
        eval_along<F>(node, joined_axes(in[0]->dims(), in[1]->dims(), out.dims()), in[0]->floats().data(),
                      in[1]->floats().data(), out.floats().data());
        return out;
    }
    BroadcastIterator a(in[0]->dims(), out.dims()), b(in[1]->dims(), out.dims());
    if constexpr (W != nullptr)
        if (all_integers(in) && !is_float(out.dtype())) {
            for (std::int64_t& element : out.integer_elements()) {
                const std::int64_t x = in[0]->integer(a.next()), y = in[1]->integer(b.next());
                element = W(node, x, y, in[0]->dtype());
            }
            return out;
        }
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, F(node, in[0]->at(a.next()), in[1]->at(b.next())));
    return out;
}
double power(const Node&, double a, double b) { return std::pow(a, b); }

Literal eval_where(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    BroadcastIterator c(in[0]->dims(), out.dims()), a(in[1]->dims(), out.dims()), b(in[2]->dims(), out.dims());
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t x = a.next(), y = b.next();
        if (in[0]->at(c.next()) != 0)
            out.copy(i, *in[1], x);
        else
            out.copy(i, *in[2], y);
    }
    return out;
}
Literal eval_cast(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    for (std::int64_t i = 0; i < out.size(); ++i) out.copy(i, *in[0], i);
    return out;
}
/// Integers to integer powers are computed exactly; an integer base with a float exponent in floats.
Literal eval_power(const Node& node, std::span<const Literal* const> in) {
    if (!all_integers(in)) return eval_binary<power, nullptr>(node, in);
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    BroadcastIterator a(in[0]->dims(), out.dims()), b(in[1]->dims(), out.dims());
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t base = in[0]->integer(a.next()), exponent = in[1]->integer(b.next());
        out.set_integer(i, integers::power(base, exponent, in[0]->dtype(), in[1]->dtype()));
    }
    return out;
}

Literal eval_lrelu(const Node& node, std::span<const Literal* const> in) {
    OpAttributes attr;
    read_attributes(node, *counterpart_def(node.op), attr);
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const double x = in[0]->at(i);
        out.set(i, x > 0 ? x : attr.slope * x);
    }
    return out;
}

double gelu_tanh(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double modulo(const Node& n, double a, double b) {
    const double rest = std::fmod(a, b);
    const bool other_sign = !n.get(attr::fmod) && rest != 0 && (rest < 0) != (b < 0);
    return other_sign ? rest + b : rest;
}
double round_even(double x) { return std::nearbyint(x); }
/// Rounds a, which is divided by the scale already, adds the zero point b and clamps.
double quantize(const Node& n, double a, double b) {
    return std::clamp(round_even(a) + b, n.get(attr::low), n.get(attr::high));
}
/// a * b plus the zero point, rounded and clamped to an Int8 with an offset: from offset - 127 to offset + 127.
double nearest_int8(const Node& n, double a, double b) {
    const double offset = n.get(attr::offset);
    return std::clamp(round_even(a * b + n.get(attr::zero) - offset), -127.0, 127.0) + offset;
}

/// The elements of an operand in the order of the broadcast result, as whole tiles.
Tensor tiled_operand(const Literal& operand, const Dims& dims, std::int64_t tiles) {
    constexpr std::int64_t edge = 32;
    Tensor tensor(1, tiles * edge, edge);
    BroadcastIterator at(operand.dims(), dims);
    for (std::int64_t i = 0, n = count(dims); i < n; ++i)
        tensor.data[static_cast<std::size_t>(i)] = static_cast<float>(operand.at(at.next()));
    return tensor;
}

/// The value of an op by the golden of its device op, in float32.
Literal eval_by_golden(const Node& node, std::span<const Literal* const> in) {
    const OpDef& def = *counterpart_def(node.op);
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    OpConfig op;
    op.type = def.name;
    op.name = node.name;
    op.loc = node.loc;
    op.out.mblock_m = out.size() / 1024 + 1;
    read_attributes(node, def, op.attr);
    std::vector<Tensor> operands;
    for (const Literal* operand : in) operands.push_back(tiled_operand(*operand, out.dims(), op.out.mblock_m));
    std::vector<const Tensor*> pointers;
    for (const Tensor& operand : operands) pointers.push_back(&operand);
    const Tensor result = def.golden(op, pointers);
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, double{result.data[static_cast<std::size_t>(i)]});
    return out;
}

template <double (*F)(const Node&, double), IntegerUnary W = nullptr>
constexpr OpFunctions unary(OpId op) {
    return {op, infer_same, eval_unary<F, W>};
}
template <double (*F)(const Node&, double, double), IntegerBinary W = nullptr>
constexpr OpFunctions binary(OpId op, bool test = false) {
    return {op, test ? infer_test : infer_elementwise, eval_binary<F, W>};
}

#define TT_UNARY(OP, EXPRESSION)                   \
    unary<([](const Node& n, double x) -> double { \
        static_cast<void>(n);                      \
        return EXPRESSION;                         \
    })>(OP)
#define TT_BINARY(OP, EXPRESSION)                             \
    binary<([](const Node& n, double a, double b) -> double { \
        static_cast<void>(n);                                 \
        return EXPRESSION;                                    \
    })>(OP)
/// The same with an expression for integers, where `t` is the type of the (first) operand.
#define TT_UNARY_INTEGER(OP, EXPRESSION, INTEGER)                                        \
    unary<([](const Node& n, double x) -> double {                                       \
              static_cast<void>(n);                                                      \
              return EXPRESSION;                                                         \
          }),                                                                            \
          ([](const Node& n, std::int64_t x, [[maybe_unused]] DType t) -> std::int64_t { \
              static_cast<void>(n);                                                      \
              return INTEGER;                                                            \
          })>(OP)
#define TT_BINARY_INTEGER(OP, EXPRESSION, INTEGER)                                                        \
    binary<([](const Node& n, double a, double b) -> double {                                             \
               static_cast<void>(n);                                                                      \
               return EXPRESSION;                                                                         \
           }),                                                                                            \
           ([](const Node& n, std::int64_t a, std::int64_t b, [[maybe_unused]] DType t) -> std::int64_t { \
               static_cast<void>(n);                                                                      \
               return INTEGER;                                                                            \
           })>(OP)
#define TT_TEST(OP, EXPRESSION, INTEGER)                                                                \
    binary<([](const Node&, double a, double b) -> double { return (EXPRESSION) ? 1.0 : 0.0; }),        \
           ([](const Node&, std::int64_t a, std::int64_t b, [[maybe_unused]] DType t) -> std::int64_t { \
               return (INTEGER) ? 1 : 0;                                                                \
           })>(OP, true)

constexpr std::array elementwise_table{
    // ops of the device
    TT_UNARY_INTEGER(op::nop, x, x),
    TT_UNARY(op::exp, std::exp(x)),
    TT_UNARY(op::log, std::log(x)),
    TT_UNARY(op::sqrt, std::sqrt(x)),
    TT_UNARY(op::reciprocal, 1 / x),
    TT_UNARY(op::sigmoid, 1 / (1 + std::exp(-x))),
    TT_UNARY(op::tanh, std::tanh(x)),
    TT_UNARY(op::sine, std::sin(x)),
    TT_UNARY(op::cosine, std::cos(x)),
    TT_UNARY_INTEGER(op::abs, std::fabs(x), integers::absolute(x, t)),
    TT_UNARY_INTEGER(op::square, x* x, integers::multiply(x, x, t)),
    TT_UNARY(op::gelu, gelu_tanh(x)),
    OpFunctions{op::lrelu, infer_same, eval_lrelu},
    OpFunctions{op::dropout, infer_same},  // its value depends on the number of the input
    TT_UNARY_INTEGER(op::relu, std::max(x, 0.0), integers::larger(x, 0, t)),
    TT_UNARY(op::relu_max, std::min(std::max(x, 0.0), n.get(attr::threshold))),
    TT_BINARY(op::round_int8, nearest_int8(n, a, b)),
    TT_BINARY_INTEGER(op::add, a + b, integers::add(a, b, t)),
    TT_BINARY_INTEGER(op::subtract, a - b, integers::subtract(a, b, t)),
    TT_BINARY_INTEGER(op::multiply, a* b, integers::multiply(a, b, t)),
    TT_BINARY_INTEGER(op::maximum, std::max(a, b), integers::larger(a, b, t)),
    // decomposed by decompose-elementwise
    TT_UNARY_INTEGER(op::neg, -x, integers::negate(x, t)),
    TT_UNARY(op::erf, std::erf(x)),
    TT_UNARY(op::atan, std::atan(x)),
    TT_UNARY(op::asinh, std::asinh(x)),
    TT_UNARY(op::acosh, std::acosh(x)),
    TT_UNARY(op::atanh, std::atanh(x)),
    TT_UNARY(op::gelu_erf, 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2))),
    TT_UNARY_INTEGER(op::sign,
                     x > 0   ? 1.0
                     : x < 0 ? -1.0
                             : 0.0,
                     integers::sign(x, t)),
    TT_UNARY_INTEGER(op::floor, std::floor(x), x),
    TT_UNARY_INTEGER(op::ceil, std::ceil(x), x),
    TT_UNARY_INTEGER(op::round, round_even(x), x),
    TT_UNARY_INTEGER(op::truncate, std::trunc(x), x),
    TT_UNARY_INTEGER(op::not_, x != 0 ? 0.0 : 1.0, x != 0 ? 0 : 1),
    TT_UNARY(op::softplus, std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)))),
    TT_UNARY(op::elu, x > 0 ? x : n.get(attr::alpha) * std::expm1(x)),
    TT_BINARY(op::quantize, quantize(n, a, b)),
    TT_BINARY_INTEGER(op::divide, is_float(n.type.dtype) ? a / b : std::trunc(a / b), integers::divide(a, b, t)),
    TT_BINARY_INTEGER(op::minimum, std::min(a, b), integers::smaller(a, b, t)),
    OpFunctions{op::power, infer_elementwise, eval_power},
    TT_BINARY_INTEGER(op::modulo, modulo(n, a, b),
                      n.get(attr::fmod) ? integers::remainder(a, b, t) : integers::modulo(a, b, t)),
    TT_TEST(op::equal, a == b, a == b),
    TT_TEST(op::less, a < b, integers::less(a, b, t)),
    TT_TEST(op::greater, a > b, integers::less(b, a, t)),
    TT_TEST(op::less_equal, a <= b, !integers::less(b, a, t)),
    TT_TEST(op::greater_equal, a >= b, !integers::less(a, b, t)),
    TT_TEST(op::and_, a != 0 && b != 0, a != 0 && b != 0),
    TT_TEST(op::or_, a != 0 || b != 0, a != 0 || b != 0),
    TT_TEST(op::xor_, (a != 0) != (b != 0), (a != 0) != (b != 0)),
    OpFunctions{op::where, infer_all, eval_where},
    OpFunctions{op::cast, infer_cast, eval_cast},
};

}  // namespace

OpFunctions functions_by_rule(OpId op, const OpDeclaration& declaration) {
    constexpr std::array rules{infer_all, infer_same, infer_elementwise, infer_test};
    TT_CHECK(declaration.result != TypeRule::None, "op '{}' of ops.toml has no row in compiler/ops/ and no type rule",
             declaration.name);
    const bool by_golden = declaration.level == Level::Core;
    TT_CHECK(!by_golden || ttsim::impl::find_op(declaration.name), "'{}' is not an op of the device", declaration.name);
    return {op, rules[static_cast<std::size_t>(declaration.result)], by_golden ? eval_by_golden : nullptr};
}

std::span<const OpFunctions> elementwise_ops() { return elementwise_table; }

Type infer_elementwise(const Node& node, std::span<const Type> in) {
    Type out{in[0].dtype, in[0].dims, {}};
    for (const Type& type : in.subspan(1)) {
        out.dims = broadcast(node, out.dims, type.dims);
        if (out.dtype == DType::Bool) out.dtype = type.dtype;  // a mask counts as 0 and 1
    }
    return out;
}

}  // namespace ttsim::impl::ir
