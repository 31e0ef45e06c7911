// Gradients of elementwise ops, in terms of ops of the model level.
#include <cmath>
#include <numbers>

#include "compiler/autograd/gradients.hpp"

namespace ttsim::impl::ir {

namespace {

/// Shorthands for the nodes of one rule.
class Calculus {
public:
    explicit Calculus(const GradientCall& call) : call_(call), build_(call.build) {}
    ValueId x(std::size_t k = 0) const { return call_.in[k]; }
    ValueId y() const { return call_.out; }
    ValueId g() const { return call_.grad; }
    const Node& node() const { return call_.node; }
    ValueId number(double value) { return build_.scalar(value); }
    ValueId op(OpId name, ValueId a) { return build_.add(name, {a}); }
    ValueId add(ValueId a, ValueId b) { return build_.add(op::add, {a, b}); }
    ValueId sub(ValueId a, ValueId b) { return build_.add(op::subtract, {a, b}); }
    ValueId mul(ValueId a, ValueId b) { return build_.add(op::multiply, {a, b}); }
    ValueId scaled(ValueId a, double factor) { return mul(a, number(factor)); }
    ValueId square(ValueId a) { return op(op::square, a); }
    ValueId inverse(ValueId a) { return op(op::reciprocal, a); }
    ValueId one_minus(ValueId a) { return sub(number(1), a); }
    ValueId exp(ValueId a) { return op(op::exp, a); }
    /// 1 where the test holds, else 0.
    ValueId test(OpId name, ValueId a, ValueId b) { return build_.cast(build_.add(name, {a, b}), DType::F32); }
    ValueId above_zero(ValueId a) { return test(op::greater, a, number(0)); }

private:
    const GradientCall& call_;
    Builder& build_;
};

using Result = std::optional<ValueId>;

Result of_copy(const GradientCall& call, std::size_t) { return call.grad; }
Result none(const GradientCall&, std::size_t) { return std::nullopt; }

Result of_add(const GradientCall& call, std::size_t) { return call.grad; }
Result of_subtract(const GradientCall& call, std::size_t k) {
    return k == 0 ? call.grad : Calculus(call).op(op::neg, call.grad);
}
Result of_multiply(const GradientCall& call, std::size_t k) { return Calculus(call).mul(call.grad, call.in[1 - k]); }
Result of_divide(const GradientCall& call, std::size_t k) {
    Calculus c(call);
    const ValueId share = c.mul(c.g(), c.inverse(c.x(1)));
    return k == 0 ? share : c.op(op::neg, c.mul(share, c.y()));
}
/// Where both operands are equal each gets half, as in torch.
Result of_maximum(const GradientCall& call, std::size_t k) {
    Calculus c(call);
    const ValueId larger = c.test(op::greater, c.x(k), c.x(1 - k)), equal = c.test(op::equal, c.x(0), c.x(1));
    return c.mul(c.g(), c.add(larger, c.scaled(equal, 0.5)));
}
Result of_minimum(const GradientCall& call, std::size_t k) {
    Calculus c(call);
    const ValueId smaller = c.test(op::less, c.x(k), c.x(1 - k)), equal = c.test(op::equal, c.x(0), c.x(1));
    return c.mul(c.g(), c.add(smaller, c.scaled(equal, 0.5)));
}
/// Base: b * a^(b - 1). Exponent: y * log(a), 0 for a base of 0.
Result of_power(const GradientCall& call, std::size_t k) {
    Calculus c(call);
    if (k == 0) {
        const ValueId less = call.build.add(op::power, {c.x(0), c.sub(c.x(1), c.number(1))});
        return c.mul(c.g(), c.mul(c.x(1), less));
    }
    const ValueId zero = c.test(op::equal, c.x(0), c.number(0));
    const ValueId log = c.op(op::log, c.add(c.x(0), zero));
    return c.mul(c.g(), c.mul(c.y(), log));
}

Result of_neg(const GradientCall& call, std::size_t) { return Calculus(call).op(op::neg, call.grad); }
Result of_exp(const GradientCall& call, std::size_t) { return Calculus(call).mul(call.grad, call.out); }
Result of_log(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.inverse(c.x()));
}
Result of_sqrt(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.scaled(c.inverse(c.y()), 0.5));
}
Result of_reciprocal(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.op(op::neg, c.mul(c.g(), c.square(c.y())));
}
Result of_square(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.scaled(c.x(), 2));
}
Result of_sigmoid(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.mul(c.y(), c.one_minus(c.y())));
}
Result of_tanh(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.one_minus(c.square(c.y())));
}
Result of_sine(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.op(op::cosine, c.x()));
}
Result of_cosine(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.op(op::neg, c.mul(c.g(), c.op(op::sine, c.x())));
}
Result of_abs(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.op(op::sign, c.x()));
}
Result of_relu(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.above_zero(c.y()));
}
Result of_relu_max(const GradientCall& call, std::size_t) {
    Calculus c(call);
    const ValueId below = c.test(op::less, c.x(), c.number(call.node.get(attr::threshold)));
    return c.mul(c.g(), c.mul(c.above_zero(c.x()), below));
}
Result of_lrelu(const GradientCall& call, std::size_t) {
    Calculus c(call);
    const double slope = call.node.get(attr::slope);
    return c.mul(c.g(), c.add(c.scaled(c.above_zero(c.x()), 1 - slope), c.number(slope)));
}
Result of_elu(const GradientCall& call, std::size_t) {
    Calculus c(call);
    const double alpha = call.node.get(attr::alpha);
    const ValueId positive = c.above_zero(c.x());
    const ValueId below = c.mul(c.one_minus(positive), c.add(c.y(), c.number(alpha)));
    return c.mul(c.g(), c.add(positive, below));
}
Result of_softplus(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.op(op::sigmoid, c.x()));
}
/// f'(x) = (1 + t) / 2 + x * (1 - t^2) * u' / 2, with t = tanh(u), u = sqrt(2 / pi) * (x + 0.044715 * x^3).
Result of_gelu(const GradientCall& call, std::size_t) {
    Calculus c(call);
    const double root = std::sqrt(2 / std::numbers::pi);
    const ValueId x2 = c.square(c.x());
    const ValueId u = c.scaled(c.mul(c.x(), c.add(c.scaled(x2, 0.044715), c.number(1))), root);
    const ValueId slope = c.add(c.scaled(x2, 3 * 0.044715 * root), c.number(root));
    const ValueId t = c.op(op::tanh, u);
    const ValueId rise = c.mul(c.mul(c.x(), c.one_minus(c.square(t))), slope);
    return c.mul(c.g(), c.scaled(c.add(c.add(t, c.number(1)), rise), 0.5));
}
/// f'(x) = (1 + erf(x / sqrt 2)) / 2 + x * exp(-x^2 / 2) / sqrt(2 pi).
Result of_gelu_erf(const GradientCall& call, std::size_t) {
    Calculus c(call);
    const ValueId gate = c.scaled(c.add(c.op(op::erf, c.scaled(c.x(), 1 / std::numbers::sqrt2)), c.number(1)), 0.5);
    const ValueId bell = c.scaled(c.exp(c.scaled(c.square(c.x()), -0.5)), 1 / std::sqrt(2 * std::numbers::pi));
    return c.mul(c.g(), c.add(gate, c.mul(c.x(), bell)));
}
Result of_erf(const GradientCall& call, std::size_t) {
    Calculus c(call);
    const ValueId bell = c.exp(c.op(op::neg, c.square(c.x())));
    return c.mul(c.g(), c.scaled(bell, 2 * std::numbers::inv_sqrtpi));
}
Result of_atan(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.inverse(c.add(c.square(c.x()), c.number(1))));
}
Result of_asinh(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.inverse(c.op(op::sqrt, c.add(c.square(c.x()), c.number(1)))));
}
Result of_acosh(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.inverse(c.op(op::sqrt, c.sub(c.square(c.x()), c.number(1)))));
}
Result of_atanh(const GradientCall& call, std::size_t) {
    Calculus c(call);
    return c.mul(c.g(), c.inverse(c.one_minus(c.square(c.x()))));
}
/// The same elements are kept: equal seeds and dims give equal masks.
Result of_dropout(const GradientCall& call, std::size_t) {
    return call.build.add(op::dropout, {call.grad}, call.node.attrs);
}
Result of_where(const GradientCall& call, std::size_t k) {
    if (k == 0) return std::nullopt;
    Calculus c(call);
    const ValueId condition = call.build.cast(c.x(0), DType::F32);
    return c.mul(c.g(), k == 1 ? condition : c.one_minus(condition));
}
Result of_cast(const GradientCall& call, std::size_t) {
    const DType from = call.build.type(call.in[0]).dtype;
    if (!is_float(from) || !is_float(call.node.type.dtype)) return std::nullopt;
    return call.build.cast(call.grad, from);
}

}  // namespace

std::span<const GradientRow> elementwise_gradients() {
    static constexpr GradientRow rows[] = {
        {op::nop, of_copy},
        {op::add, of_add},
        {op::subtract, of_subtract},
        {op::multiply, of_multiply},
        {op::divide, of_divide},
        {op::maximum, of_maximum},
        {op::minimum, of_minimum},
        {op::power, of_power},
        {op::neg, of_neg},
        {op::exp, of_exp},
        {op::log, of_log},
        {op::sqrt, of_sqrt},
        {op::reciprocal, of_reciprocal},
        {op::square, of_square},
        {op::sigmoid, of_sigmoid},
        {op::tanh, of_tanh},
        {op::sine, of_sine},
        {op::cosine, of_cosine},
        {op::abs, of_abs},
        {op::relu, of_relu},
        {op::relu_max, of_relu_max},
        {op::lrelu, of_lrelu},
        {op::elu, of_elu},
        {op::softplus, of_softplus},
        {op::gelu, of_gelu},
        {op::gelu_erf, of_gelu_erf},
        {op::erf, of_erf},
        {op::atan, of_atan},
        {op::asinh, of_asinh},
        {op::acosh, of_acosh},
        {op::atanh, of_atanh},
        {op::dropout, of_dropout},
        {op::where, of_where},
        {op::cast, of_cast},
        {op::sign, none},
        {op::floor, none},
        {op::ceil, none},
        {op::round, none},
        {op::truncate, none},
        {op::not_, none},
        {op::and_, none},
        {op::or_, none},
        {op::xor_, none},
        {op::equal, none},
        {op::less, none},
        {op::greater, none},
        {op::less_equal, none},
        {op::greater_equal, none},
    };
    return rows;
}

}  // namespace ttsim::impl::ir
