// Ops that work datum by datum, with NumPy broadcasting. Those named like an op of the device are core ops.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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
Type infer_binary(const Node& node, std::span<const Type> in) {
    return {in[0].dtype, broadcast(node, in[0].dims, in[1].dims), {}};
}
Type infer_test(const Node& node, std::span<const Type> in) {
    return {DType::Bool, broadcast(node, in[0].dims, in[1].dims), {}};
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

double gelu_tanh(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double divide(const Node& n, double a, double b) {
    if (is_float(n.type.dtype)) return a / b;
    return b == 0 ? 0 : std::trunc(a / b);
}
double modulo(const Node& n, double a, double b) {
    if (b == 0) return 0;
    return n.integer("fmod", 0) != 0 ? std::fmod(a, b) : a - b * std::floor(a / b);
}
double round_even(double x) { return std::nearbyint(x); }

template <double (*F)(const Node&, double)>
constexpr OpInfo unary(std::string_view name, Level level) {
    return {name, level, 1, 1, infer_same, eval1<F>, true};
}
template <double (*F)(const Node&, double, double)>
constexpr OpInfo binary(std::string_view name, Level level, bool test = false) {
    return {name, level, 2, 2, test ? infer_test : infer_binary, eval2<F>, true};
}

#define TT_UNARY(NAME, LEVEL, EXPRESSION)          \
    unary<([](const Node& n, double x) -> double { \
        static_cast<void>(n);                      \
        return EXPRESSION;                         \
    })>(NAME, Level::LEVEL)
#define TT_BINARY(NAME, LEVEL, EXPRESSION)                    \
    binary<([](const Node& n, double a, double b) -> double { \
        static_cast<void>(n);                                 \
        return EXPRESSION;                                    \
    })>(NAME, Level::LEVEL)
#define TT_TEST(NAME, EXPRESSION)                                                                 \
    binary<([](const Node&, double a, double b) -> double { return (EXPRESSION) ? 1.0 : 0.0; })>( \
        NAME, Level::Composite, true)

constexpr std::array table{
    // ops of the device
    TT_UNARY("nop", Core, x),
    TT_UNARY("exp", Core, std::exp(x)),
    TT_UNARY("log", Core, std::log(x)),
    TT_UNARY("sqrt", Core, std::sqrt(x)),
    TT_UNARY("reciprocal", Core, 1 / x),
    TT_UNARY("sigmoid", Core, 1 / (1 + std::exp(-x))),
    TT_UNARY("tanh", Core, std::tanh(x)),
    TT_UNARY("sine", Core, std::sin(x)),
    TT_UNARY("cosine", Core, std::cos(x)),
    TT_UNARY("abs", Core, std::fabs(x)),
    TT_UNARY("square", Core, x* x),
    TT_UNARY("gelu", Core, gelu_tanh(x)),
    TT_UNARY("lrelu", Core, x > 0 ? x : n.number("slope", 0.01) * x),
    TT_UNARY("relu", Core, std::max(x, 0.0)),
    TT_UNARY("relu_max", Core, std::min(std::max(x, 0.0), n.number("threshold", 1))),
    TT_BINARY("add", Core, a + b),
    TT_BINARY("subtract", Core, a - b),
    TT_BINARY("multiply", Core, a* b),
    TT_BINARY("maximum", Core, std::max(a, b)),
    // taken apart by decompose-elementwise
    TT_UNARY("neg", Composite, -x),
    TT_UNARY("erf", Composite, std::erf(x)),
    TT_UNARY("gelu_erf", Composite, 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2))),
    TT_UNARY("sign", Composite,
             x > 0   ? 1.0
             : x < 0 ? -1.0
                     : 0.0),
    TT_UNARY("floor", Composite, std::floor(x)),
    TT_UNARY("ceil", Composite, std::ceil(x)),
    TT_UNARY("round", Composite, round_even(x)),
    TT_UNARY("truncate", Composite, std::trunc(x)),
    TT_UNARY("not", Composite, x != 0 ? 0.0 : 1.0),
    TT_UNARY("softplus", Composite, std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)))),
    TT_UNARY("elu", Composite, x > 0 ? x : n.number("alpha", 1) * std::expm1(x)),
    TT_BINARY("divide", Composite, divide(n, a, b)),
    TT_BINARY("minimum", Composite, std::min(a, b)),
    TT_BINARY("power", Composite, std::pow(a, b)),
    TT_BINARY("modulo", Composite, modulo(n, a, b)),
    TT_TEST("equal", a == b),
    TT_TEST("less", a < b),
    TT_TEST("greater", a > b),
    TT_TEST("less_equal", a <= b),
    TT_TEST("greater_equal", a >= b),
    TT_TEST("and", a != 0 && b != 0),
    TT_TEST("or", a != 0 || b != 0),
    TT_TEST("xor", (a != 0) != (b != 0)),
    OpInfo{"where", Level::Composite, 3, 3, infer_all, eval_where, true},
    OpInfo{"cast", Level::Composite, 1, 1, infer_cast, eval1<([](const Node&, double x) -> double { return x; })>,
           true},
};

}  // namespace

std::span<const OpInfo> elementwise_ops() { return table; }

}  // namespace tt::ir
