// decompose-normalization: normalizations as means, products and reciprocal roots.
//
//   %y = layer_norm %x {axis, epsilon}                  ->  d = x - mean x, y = d * (1 / sqrt(mean d^2 + epsilon))
//   %y = rms_norm %x {axis, epsilon}                    ->  y = x * (1 / sqrt(mean x^2 + epsilon))
//   %y = group_norm %x {groups, epsilon}                ->  as layer_norm, means over positions and a group of channels
//   %y = batch_norm %x, %scale, %shift, %mean, %var     ->  y = x * f + (shift - mean * f)
//                                                           f = scale / sqrt(var + epsilon)
#include <algorithm>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static ValueId inverse_root(Builder& build, ValueId variance, double epsilon) {
    const ValueId safe = build.add(op::add, {variance, build.scalar(epsilon)});
    return build.add(op::reciprocal, {build.add(op::sqrt, {safe})});
}

static ValueId mean(Builder& build, ValueId x, std::int64_t axis) {
    const std::int64_t n = build.dims(x)[static_cast<std::size_t>(axis)];
    Literal weights(DType::F32, {1, n});
    std::fill(weights.floats().begin(), weights.floats().end(), 1.0F / static_cast<float>(n));
    return build.map_axis(x, axis, std::move(weights));
}

/// The mean over `axis` and all later axes.
static ValueId mean_from(Builder& build, ValueId x, std::int64_t axis) {
    for (auto last = static_cast<std::int64_t>(build.dims(x).size()) - 1; last >= axis; --last)
        x = mean(build, x, last);
    return x;
}

static ValueId layer_norm(Builder& build, const Node& node, ValueId x) {
    const std::int64_t axis = node.get(attr::axis);
    const ValueId centred = node.op == op::rms_norm ? x : build.add(op::subtract, {x, mean_from(build, x, axis)});
    const ValueId variance = mean_from(build, build.add(op::square, {centred}), axis);
    return build.add(op::multiply, {centred, inverse_root(build, variance, node.get(attr::epsilon))});
}

/// Means over positions, then over the channels of each group.
static ValueId group_norm(Builder& build, const Node& node, ValueId x) {
    const Dims dims = build.dims(x);
    const std::int64_t channels = dims[1], part = channels / node.get(attr::groups);
    Literal spread = zero_matrix(channels, channels);
    for (std::int64_t i = 0; i < channels * channels; ++i)
        spread.set(i, i / channels / part == i % channels / part ? 1 / static_cast<double>(part) : 0);
    const auto group_mean = [&](ValueId v) { return build.map_axis(mean(build, v, 2), 1, spread); };
    const ValueId flat = build.reshape(x, {dims[0], channels, count(Dims(dims.begin() + 2, dims.end()))});
    const ValueId centred = build.add(op::subtract, {flat, group_mean(flat)});
    const ValueId variance = group_mean(build.add(op::square, {centred}));
    const ValueId y = build.add(op::multiply, {centred, inverse_root(build, variance, node.get(attr::epsilon))});
    return build.reshape(y, dims);
}

static ValueId batch_norm(Builder& build, const Node& node, std::span<const ValueId> in) {
    Dims channels(build.dims(in[0]).size() - 1, 1);
    channels[0] = -1;
    const auto spread = [&](ValueId v) {
        Dims dims = channels;
        dims[0] = count(build.dims(v));
        return build.reshape(v, dims);
    };
    const ValueId factor =
        build.add(op::multiply, {spread(in[1]), inverse_root(build, spread(in[4]), node.get(attr::epsilon))});
    const ValueId shift = build.add(op::subtract, {spread(in[2]), build.add(op::multiply, {spread(in[3]), factor})});
    return build.add(op::add, {build.add(op::multiply, {in[0], factor}), shift});
}

static std::optional<ValueId> batch_or_group_norm(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (node.op == op::group_norm) return group_norm(build, node, in[0]);
    if (node.op == op::batch_norm) return batch_norm(build, node, in);
    return std::nullopt;
}

static void run_decompose_batch_norm(Graph& graph, const PassOptions&) { rewrite(graph, batch_or_group_norm); }

static void run_decompose_normalization(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op == op::layer_norm || node.op == op::rms_norm) return layer_norm(build, node, in[0]);
        return batch_or_group_norm(build, node, in);
    });
}

extern const Pass decompose_batch_norm;
const Pass decompose_batch_norm{.name = "decompose-batch-norm",
                                .summary = "batch_norm and group_norm from means and products, before autograd",
                                .run = run_decompose_batch_norm};

extern const Pass decompose_normalization;
const Pass decompose_normalization{.name = "decompose-normalization",
                                   .summary = "layer_norm and batch_norm from means and products",
                                   .run = run_decompose_normalization};

}  // namespace ttsim::impl::ir
