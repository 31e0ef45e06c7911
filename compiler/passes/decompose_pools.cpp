// decompose-pools: a pool goes axis by axis.
//
//   average_pool  ->  one map_axis for each spatial axis, weights 1 / (positions of the window)
//   max_pool      ->  for each spatial axis the maximum over the kernel's positions of map_axis with a 0/1 matrix;
//                     a position outside the input repeats one inside, so no -infinity is needed
#include <algorithm>

#include "compiler/pass.hpp"
#include "compiler/window.hpp"

namespace tt::ir {

static Literal averages(const Node& node, const Window& w, bool count_padding) {
    Literal matrix = zero_matrix(w.out, w.in, node.loc, node.origin);
    for (std::int64_t o = 0; o < w.out; ++o) {
        std::int64_t inside = 0, counted = 0;
        for (std::int64_t k = 0; k < w.kernel; ++k) {
            inside += w.source(o, k) >= 0 ? 1 : 0;
            counted += o * w.stride - w.pad_before + k * w.dilation < w.in + w.pad_after ? 1 : 0;
        }
        const std::int64_t n = count_padding ? counted : inside;
        for (std::int64_t k = 0; k < w.kernel && n > 0; ++k)
            if (const std::int64_t i = w.source(o, k); i >= 0) matrix.set(o * w.in + i, 1.0 / static_cast<double>(n));
    }
    return matrix;
}

static Literal positions(const Node& node, const Window& w, std::int64_t k) {
    Literal matrix = zero_matrix(w.out, w.in, node.loc, node.origin);
    for (std::int64_t o = 0; o < w.out; ++o) {
        std::int64_t i = w.source(o, k);
        for (std::int64_t other = 0; i < 0 && other < w.kernel; ++other) i = w.source(o, other);
        if (i >= 0) matrix.set(o * w.in + i, 1);
    }
    return matrix;
}

static ValueId max_pool(Builder& build, const Node& node, const std::vector<Window>& spatial, ValueId x) {
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
        std::optional<ValueId> most;
        for (std::int64_t k = 0; k < spatial[axis].kernel; ++k) {
            const ValueId picked =
                build.map_axis(x, static_cast<std::int64_t>(axis) + 2, positions(node, spatial[axis], k));
            most = most ? build.add("maximum", {*most, picked}) : picked;
        }
        x = *most;
    }
    return x;
}

static void run(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != "max_pool" && node.op != "average_pool") return std::nullopt;
        const Dims dims = build.dims(in[0]);
        const auto spatial = windows(node, {dims.begin() + 2, dims.end()}, node.list("kernel"));
        if (node.op == "max_pool") return max_pool(build, node, spatial, in[0]);
        ValueId x = in[0];
        for (std::size_t axis = 0; axis < spatial.size(); ++axis)
            x = build.map_axis(x, static_cast<std::int64_t>(axis) + 2,
                               averages(node, spatial[axis], node.integer("count_include_pad", 0) != 0));
        return x;
    });
}

extern const Pass decompose_pools;
const Pass decompose_pools{
    .name = "decompose-pools", .summary = "pools axis by axis, from picking matrices", .run = run};

}  // namespace tt::ir
