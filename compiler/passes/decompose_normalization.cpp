// decompose-normalization
//
//   %y = layer_norm %x {axis, epsilon}                  ->  d = x - mean x, y = d * (1 / sqrt(mean d^2 + epsilon))
//   %y = batch_norm %x, %scale, %shift, %mean, %var     ->  y = x * f + (shift - mean * f), f = scale / sqrt(var +
//   epsilon)
#include <algorithm>
#include <numeric>

#include "compiler/pass.hpp"

namespace tt::ir {

static ValueId inverse_root(Builder& build, ValueId variance, double epsilon) {
    const ValueId safe = build.add("add", {variance, build.scalar(epsilon)});
    return build.add("reciprocal", {build.add("sqrt", {safe})});
}

static ValueId mean(Builder& build, ValueId x) {
    const auto axis = static_cast<std::int64_t>(build.dims(x).size()) - 1;
    const std::int64_t n = build.dims(x).back();
    Literal weights(DType::F32, {1, n});
    std::fill(weights.floats().begin(), weights.floats().end(), 1.0F / static_cast<float>(n));
    return build.map_axis(x, axis, std::move(weights));
}

static ValueId layer_norm(Builder& build, const Node& node, ValueId x) {
    const Dims dims = build.dims(x);
    const auto axis = static_cast<std::ptrdiff_t>(node.integer("axis", 0));
    Dims flat(dims.begin(), dims.begin() + axis);
    flat.push_back(std::accumulate(dims.begin() + axis, dims.end(), std::int64_t{1}, std::multiplies<>()));
    x = build.reshape(x, flat);
    const ValueId centred = build.add("subtract", {x, mean(build, x)});
    const ValueId variance = mean(build, build.add("square", {centred}));
    const ValueId y = build.add("multiply", {centred, inverse_root(build, variance, node.number("epsilon", 1e-5))});
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
        build.add("multiply", {spread(in[1]), inverse_root(build, spread(in[4]), node.number("epsilon", 1e-5))});
    const ValueId shift = build.add("subtract", {spread(in[2]), build.add("multiply", {spread(in[3]), factor})});
    return build.add("add", {build.add("multiply", {in[0], factor}), shift});
}

static void run(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op == "layer_norm") return layer_norm(build, node, in[0]);
        if (node.op == "batch_norm") return batch_norm(build, node, in);
        return std::nullopt;
    });
}

extern const Pass decompose_normalization;
const Pass decompose_normalization{
    .name = "decompose-normalization", .summary = "layer_norm and batch_norm from means and products", .run = run};

}  // namespace tt::ir
