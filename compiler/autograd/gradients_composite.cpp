// Gradients of composite ops whose own form is shorter, or more exact, than that of their parts.
#include <algorithm>

#include "compiler/autograd/gradients.hpp"

namespace ttsim::impl::ir {

namespace {

using Result = std::optional<ValueId>;

std::int64_t axis_of(const GradientCall& call) {
    const std::int64_t axis = call.node.get(attr::axis);
    return axis < 0 ? axis + static_cast<std::int64_t>(call.node.type.dims.size()) : axis;
}

/// y * (g - sum(g * y)).
ValueId through_softmax(const GradientCall& call, ValueId y, ValueId g) {
    Builder& build = call.build;
    const ValueId sum = build.reduce_sum(build.add(op::multiply, {g, y}), axis_of(call));
    return build.add(op::multiply, {y, build.add(op::subtract, {g, sum})});
}

/// With a second operand f, y = softmax(x) * f: the softmax without the factor is computed again.
Result of_softmax(const GradientCall& call, std::size_t k) {
    Builder& build = call.build;
    if (call.in.size() == 1) return through_softmax(call, call.out, call.grad);
    const ValueId plain = build.add(op::softmax, {call.in[0]}, call.node.attrs);
    if (k == 1) return build.add(op::multiply, {call.grad, plain});
    return through_softmax(call, plain, build.add(op::multiply, {call.grad, call.in[1]}));
}

/// g - exp(y) * sum(g).
Result of_log_softmax(const GradientCall& call, std::size_t) {
    Builder& build = call.build;
    const ValueId sum = build.reduce_sum(call.grad, axis_of(call));
    return build.add(op::subtract, {call.grad, build.add(op::multiply, {build.add(op::exp, {call.out}), sum})});
}

/// The mean over `axis` and all later axes.
ValueId mean_from(Builder& build, ValueId x, std::int64_t axis) {
    for (auto last = static_cast<std::int64_t>(build.dims(x).size()) - 1; last >= axis; --last) {
        const std::int64_t n = build.dims(x)[static_cast<std::size_t>(last)];
        Literal weights(DType::F32, {1, n});
        std::fill(weights.floats().begin(), weights.floats().end(), 1.0F / static_cast<float>(n));
        x = build.map_axis(x, last, std::move(weights));
    }
    return x;
}

/// y = (x - mean) * r: r * (g - mean(g) - y * mean(g * y)). rms_norm, y = x * r, has no mean(g).
Result of_layer_norm(const GradientCall& call, std::size_t) {
    Builder& build = call.build;
    const std::int64_t axis = axis_of(call);
    const bool centred = call.node.op == op::layer_norm;
    ValueId x = call.in[0];
    if (centred) x = build.add(op::subtract, {x, mean_from(build, x, axis)});
    const ValueId variance = mean_from(build, build.add(op::square, {x}), axis);
    const ValueId safe = build.add(op::add, {variance, build.scalar(call.node.get(attr::epsilon))});
    const ValueId root = build.add(op::reciprocal, {build.add(op::sqrt, {safe})});
    ValueId g = call.grad;
    if (centred) g = build.add(op::subtract, {g, mean_from(build, g, axis)});
    const ValueId along = mean_from(build, build.add(op::multiply, {call.grad, call.out}), axis);
    g = build.add(op::subtract, {g, build.add(op::multiply, {call.out, along})});
    return build.add(op::multiply, {g, root});
}

Result of_scale_gradient(const GradientCall& call, std::size_t k) {
    if (k == 1) return std::nullopt;
    return call.build.add(op::multiply, {call.grad, call.in[1]});
}

}  // namespace

std::span<const GradientRow> composite_gradients() {
    static constexpr GradientRow rows[] = {
        {op::softmax, of_softmax},     {op::log_softmax, of_log_softmax},       {op::layer_norm, of_layer_norm},
        {op::rms_norm, of_layer_norm}, {op::scale_gradient, of_scale_gradient},
    };
    return rows;
}

}  // namespace ttsim::impl::ir
