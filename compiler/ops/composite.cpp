// Ops of models that decompose passes turn into core ops.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/ops/op_lists.hpp"
#include "compiler/ops/window.hpp"

namespace ttsim::impl::ir {

namespace {

Type infer_axis(const Node& node, std::span<const Type> in) {
    const std::int64_t axis = node.get(attr::axis), rank = static_cast<std::int64_t>(in[0].dims.size());
    if (axis < 0 || axis >= rank)
        fail_input(node.loc, "'{}' has axis {}; its operand has rank {}", node.name, axis, rank);
    return in[0];
}

/// The elements of `from`, broadcast to `to`.
std::vector<double> broadcast_elements(const Literal& from, const Dims& to) {
    const Dims steps = strides(from.dims()), to_strides = strides(to);
    const std::size_t skip = to.size() - from.dims().size();
    std::vector<double> out(static_cast<std::size_t>(count(to)));
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::int64_t at = 0;
        for (std::size_t d = skip; d < to.size(); ++d)
            if (from.dims()[d - skip] != 1)
                at += static_cast<std::int64_t>(i) / to_strides[d] % to[d] * steps[d - skip];
        out[i] = from.at(at);
    }
    return out;
}

/// Operands of softmax: x, and optionally a factor for each line along the axis.
Type infer_softmax(const Node& node, std::span<const Type> in) {
    const Type out = infer_axis(node, in);
    if (in.size() < 2) return out;
    Dims lines = out.dims;
    lines[static_cast<std::size_t>(node.get(attr::axis))] = 1;
    if (broadcast(node, in[1].dims, lines) != lines)
        fail_input(node.loc, "'{}' multiplies lines of {} by {}", node.name, to_string(in[0]), to_string(in[1]));
    return out;
}

/// softmax and log_softmax. A line with factor 0 is 0, even if its elements are not finite.
Literal eval_softmax(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const std::int64_t size = out.dims()[axis], step = strides(out.dims())[axis];
    const bool logarithm = node.op == op::log_softmax;
    Dims lines = out.dims();
    lines[axis] = 1;
    const std::vector<double> factors = in.size() > 1 ? broadcast_elements(*in[1], lines) : std::vector<double>();
    for (std::int64_t line = 0; size > 0 && line < out.size() / size; ++line) {
        const std::int64_t first = line / step * step * size + line % step;
        const double factor = factors.empty() ? 1 : factors[static_cast<std::size_t>(line)];
        if (factor == 0) continue;
        double most = in[0]->at(first), sum = 0;
        for (std::int64_t k = 1; k < size; ++k) most = std::max(most, in[0]->at(first + k * step));
        for (std::int64_t k = 0; k < size; ++k) sum += std::exp(in[0]->at(first + k * step) - most);
        for (std::int64_t k = 0; k < size; ++k) {
            const double away = in[0]->at(first + k * step) - most;
            out.set(first + k * step, logarithm ? away - std::log(sum) : std::exp(away) / sum * factor);
        }
    }
    return out;
}

Type infer_groups(const Node& node, std::span<const Type> in) {
    const std::int64_t groups = node.get(attr::groups);
    if (in[0].dims.size() < 3 || groups < 1 || in[0].dims[1] % groups != 0)
        fail_input(node.loc, "'{}' cannot norm {} in {} groups of channels", node.name, to_string(in[0]), groups);
    return in[0];
}

Type infer_conv(const Node& node, std::span<const Type> in) {
    const Dims &x = in[0].dims, &w = in[1].dims;
    const std::int64_t groups = node.get(attr::group);
    const bool transposed = node.op == op::conv_transpose;
    if (x.size() < 3 || w.size() != x.size())
        fail_input(node.loc, "'{}' convolves {} with {}; both need the same rank of at least 3", node.name,
                   to_string(in[0]), to_string(in[1]));
    const std::int64_t in_channels = transposed ? w[0] : count({w[1], groups}),
                       out_channels = transposed ? count({w[1], groups}) : w[0];
    if (groups < 1 || in_channels != x[1] || x[1] % groups != 0 || out_channels % groups != 0)
        fail_input(node.loc, "'{}' has {} input channels, weights for {} and {} groups", node.name, x[1], in_channels,
                   groups);
    if (in.size() > 2 && in[2].dims != Dims{out_channels})
        fail_input(node.loc, "'{}' has {} output channels and a bias {}", node.name, out_channels, to_string(in[2]));
    Type out{in[0].dtype, {x[0], out_channels}, {}};
    for (const Window& window : windows(node, {x.begin() + 2, x.end()}, {w.begin() + 2, w.end()}))
        out.dims.push_back(window.out);
    return out;
}

Dims spatial_part(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

/// "conv". Sums are in double, so that integers stay exact.
Literal eval_conv(const Node& node, std::span<const Literal* const> in) {
    const Literal &x = *in[0], &w = *in[1];
    const std::vector<Window> spatial = windows(node, spatial_part(x.dims()), spatial_part(w.dims()));
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const std::int64_t positions = count(spatial_part(out.dims())), taps = count(spatial_part(w.dims()));
    const std::int64_t pixels = count(spatial_part(x.dims())), channels = out.dims()[1], inner = w.dims()[1];
    const std::int64_t group = channels / node.get(attr::group);
    for (std::int64_t at = 0; at < out.size(); ++at) {
        const std::int64_t n = at / positions / channels, c = at / positions % channels, o = at % positions;
        double sum = in.size() > 2 ? in[2]->at(c) : 0;
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t from = source_position(spatial, o, tap);
            for (std::int64_t k = 0; from >= 0 && k < inner; ++k)
                sum += x.at((n * x.dims()[1] + c / group * inner + k) * pixels + from) *
                       w.at((c * inner + k) * taps + tap);
        }
        if (is_float(out.dtype()))
            out.set(at, sum);
        else
            out.set_integer(at, to_integer(sum));
    }
    return out;
}

std::int64_t work_conv(const Node& node, std::span<const Literal* const> in) {
    return count({count(node.type.dims), in[1]->dims()[1], count(spatial_part(in[1]->dims()))});
}

/// Operands besides x: scale, shift, mean and variance of each channel.
Type infer_batch_norm(const Node& node, std::span<const Type> in) {
    if (in[0].dims.size() < 2)
        fail_input(node.loc, "'{}' norms {}, which has no channels", node.name, to_string(in[0]));
    for (std::size_t k = 1; k < in.size(); ++k)
        if (in[k].dims != Dims{in[0].dims[1]})
            fail_input(node.loc, "operand {} of '{}' is {}; it needs one for each of the {} channels", k, node.name,
                       to_string(in[k]), in[0].dims[1]);
    return in[0];
}

Type infer_pool(const Node& node, std::span<const Type> in) {
    const Dims& x = in[0].dims;
    const auto kernel = node.get(attr::kernel);
    if (x.size() < 3 || kernel.size() + 2 != x.size())
        fail_input(node.loc, "'{}' pools {} with a kernel of rank {}", node.name, to_string(in[0]), kernel.size());
    Type out{in[0].dtype, {x[0], x[1]}, {}};
    for (const Window& window : windows(node, {x.begin() + 2, x.end()}, kernel)) out.dims.push_back(window.out);
    return out;
}

/// The second operand is broadcast to the first.
Type infer_scale_gradient(const Node& node, std::span<const Type> in) {
    if (broadcast(node, in[0].dims, in[1].dims) != in[0].dims)
        fail_input(node.loc, "'{}' multiplies gradients of {} by {}", node.name, to_string(in[0]), to_string(in[1]));
    return in[0];
}

constexpr std::array composite_table{
    OpFunctions{op::softmax, infer_softmax, eval_softmax},
    OpFunctions{op::log_softmax, infer_axis, eval_softmax},
    OpFunctions{op::layer_norm, infer_axis},  // over `axis` and all later axes, without scale
    OpFunctions{op::rms_norm, infer_axis},    // the same without subtracting the mean
    OpFunctions{op::group_norm, infer_groups},
    OpFunctions{op::batch_norm, infer_batch_norm},  // x, scale, shift, mean, variance
    OpFunctions{op::conv, infer_conv, eval_conv, work_conv},
    OpFunctions{op::conv_transpose, infer_conv},
    OpFunctions{op::max_pool, infer_pool},
    OpFunctions{op::average_pool, infer_pool},
    OpFunctions{op::scale_gradient, infer_scale_gradient},
};

}  // namespace

std::span<const OpFunctions> composite_ops() { return composite_table; }

}  // namespace ttsim::impl::ir
