// decompose-pools: pools as gathered rows, with channels of x last [N, P, C]:
//
//   max_pool      ->  gather_rows of all kernel positions, and the maximum over them. A position outside the input
//                     repeats the first one inside the window, so no -infinity is needed, and the first of equal
//                     maxima gets the gradient. Large kernels are split by axes.
//   average_pool  ->  over the whole image: one map_axis for the mean; else gather_sum with weight 1 / n for every
//                     channel (groups of one). If n differs between windows, each has a factor
#include <algorithm>
#include <cmath>

#include "compiler/ir/pass.hpp"
#include "compiler/ops/window.hpp"

namespace ttsim::impl::ir {

namespace {

struct Pool {
    std::vector<Window> spatial;
    std::int64_t n = 1, c = 1, in = 1, out = 1, taps = 1;
};

Pool pool_of(const Dims& dims, std::vector<Window> spatial) {
    Pool p;
    p.n = dims[0];
    p.c = dims[1];
    for (const Window& w : spatial) {
        p.in *= w.in;
        p.out *= w.out;
        p.taps *= w.kernel;
    }
    p.spatial = std::move(spatial);
    return p;
}

ValueId rows_of(Builder& build, const Pool& p, ValueId x) {
    return build.reshape(channels_last(build, x), {p.n, p.in, p.c});
}

ValueId max_pool_at_once(Builder& build, const Pool& p, ValueId x) {
    check_element_count({p.taps, p.out});
    std::vector<std::vector<std::int64_t>> sources;
    for (std::int64_t k = 0; k < p.taps; ++k) sources.push_back(source_positions(p.spatial, k));
    GatherMap map;
    std::int64_t at = 0;
    for (const std::vector<std::int64_t>& of_tap : sources)
        for (std::size_t o = 0; o < of_tap.size(); ++o) {
            std::int64_t from = of_tap[o];
            for (std::size_t k = 0; from < 0 && k < sources.size(); ++k) from = sources[k][o];
            map.append(at++, std::max<std::int64_t>(from, 0));
        }
    x = rows_of(build, p, x);
    const ValueId indices = build.constant(Literal::of_gather_map({p.taps, p.out}, std::move(map)));
    const ValueId gathered = build.add(op::gather_rows, {x, indices});
    const ValueId largest = build.add(op::reduce_max, {gathered}, {attr::axis(1)});
    return channels_first(build, p.spatial, build.reshape(largest, {p.n, p.out, p.c}));
}

ValueId max_pool(Builder& build, const std::vector<Window>& spatial, ValueId x) {
    constexpr std::int64_t few = 9;  // kernel positions that are gathered at once
    const Pool all_axes = pool_of(build.dims(x), spatial);
    if (all_axes.taps <= few) return max_pool_at_once(build, all_axes, x);
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
        if (spatial[axis].kernel == 1 && spatial[axis].stride == 1) continue;
        std::vector<Window> one;
        for (std::size_t a = 0; a < spatial.size(); ++a) {
            Window idle;
            idle.in = idle.out = a < axis ? spatial[a].out : spatial[a].in;
            one.push_back(a == axis ? spatial[a] : idle);
        }
        x = max_pool_at_once(build, pool_of(build.dims(x), one), x);
    }
    return x;
}

/// The number of elements that a window averages.
double divisor(const Pool& p, std::int64_t o, bool count_padding) {
    double n = 1;
    for (std::size_t a = p.spatial.size(); a-- > 0;) {
        const Window& w = p.spatial[a];
        const std::int64_t at = o % w.out;
        o /= w.out;
        std::int64_t inside = 0, counted = 0;
        for (std::int64_t k = 0; k < w.kernel; ++k) {
            inside += w.source(at, k) >= 0 ? 1 : 0;
            counted += at * w.stride - w.pad_before + k * w.dilation < w.in + w.pad_after ? 1 : 0;
        }
        n *= static_cast<double>(count_padding ? counted : inside);
    }
    return n;
}

ValueId average_pool(Builder& build, const Pool& p, bool count_padding, ValueId x) {
    x = rows_of(build, p, x);
    std::vector<double> factors;
    for (std::int64_t o = 0; o < p.out; ++o) {
        const double n = divisor(p, o, count_padding);
        factors.push_back(n > 0 ? 1 / n : 0);
    }
    const double largest = *std::max_element(factors.begin(), factors.end());
    Literal map = source_map(p.spatial), scale(DType::F32, {p.out, 1});
    for (std::int64_t o = 0; o < p.out; ++o) scale.set(o, factors[static_cast<std::size_t>(o)] / largest);
    if (p.out == 1) {
        Literal mean = zero_matrix(1, p.in);
        map.for_each_gathered(0, p.taps, [&](std::int64_t, std::int64_t from) { mean.set(from, largest); });
        return channels_first(build, p.spatial, build.map_axis(x, 1, std::move(mean)));
    }
    Literal weights(DType::F32, {p.taps, 1, p.c});
    std::fill(weights.floats().begin(), weights.floats().end(), static_cast<float>(largest));
    ValueId y = build.add(op::gather_sum, {x, build.constant(std::move(map)), build.constant(std::move(weights))},
                          {attr::groups(p.c)});
    if (!scale.is_splat()) y = build.add(op::multiply, {y, build.constant(std::move(scale))});
    return channels_first(build, p.spatial, y);
}

void run_decompose_pools(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::max_pool && node.op != op::average_pool) return std::nullopt;
        const Dims dims = build.dims(in[0]);
        const auto spatial = windows(node, {dims.begin() + 2, dims.end()}, node.get(attr::kernel));
        if (node.op == op::max_pool) return max_pool(build, spatial, in[0]);
        return average_pool(build, pool_of(dims, spatial), node.get(attr::count_include_pad), in[0]);
    });
}

}  // namespace

extern const Pass decompose_pools;
const Pass decompose_pools{
    .name = "decompose-pools", .summary = "pools as gathered rows, with channels last", .run = run_decompose_pools};

}  // namespace ttsim::impl::ir
