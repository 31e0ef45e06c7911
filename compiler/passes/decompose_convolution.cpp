// decompose-convolution: a sum over the positions k of the kernel, on x with channels last [N, P, C]:
//
//   y = sum_k L[k] * x * W[k]        L[k]: 0/1, which input position meets position k for each output position
//
// With constant weights that is one pick_sum. Weights that are computed go through matmul: x * W[k] for all k side by
// side in a batch, then one map_axis with L.
#include <algorithm>
#include <numeric>

#include "compiler/pass.hpp"
#include "compiler/window.hpp"

namespace tt::ir {

namespace {

struct Shape {
    std::vector<Window> spatial;
    std::int64_t n = 1, c = 1, oc = 1, in = 1, out = 1, taps = 1, groups = 1;
    bool transposed = false;
    Dims out_dims;
};

/// L as [taps, out positions, in positions].
Literal picks(const Shape& s) {
    Literal l(DType::F32, {s.taps, s.out, s.in});
    for (std::int64_t tap = 0; tap < s.taps; ++tap)
        for (std::int64_t o = 0; o < s.out; ++o) {
            std::int64_t from = 0, k_left = tap, o_left = o, scale = 1;
            for (std::size_t a = s.spatial.size(); a-- > 0 && from >= 0;) {
                const Window& w = s.spatial[a];
                const std::int64_t at = w.source(o_left % w.out, k_left % w.kernel);
                from = at < 0 ? -1 : from + at * scale;
                o_left /= w.out;
                k_left /= w.kernel;
                scale *= w.in;
            }
            if (from >= 0) l.set((tap * s.out + o) * s.in + from, 1);
        }
    return l;
}

Shape shape_of(const Builder& build, const Node& node, std::span<const ValueId> in) {
    Shape s;
    const Dims x = build.dims(in[0]), w = build.dims(in[1]);
    s.transposed = node.op == "conv_transpose";
    s.groups = node.integer("group", 1);
    s.spatial = windows(node, {x.begin() + 2, x.end()}, {w.begin() + 2, w.end()});
    s.n = x[0];
    s.c = x[1];
    s.out_dims = node.type.dims;
    s.oc = s.out_dims[1];
    for (const Window& window : s.spatial) {
        s.in *= window.in;
        s.out *= window.out;
        s.taps *= window.kernel;
    }
    return s;
}

/// Weights as [taps, C, OC], zero between groups.
ValueId tap_weights(Builder& build, const Shape& s, ValueId w) {
    const Dims dims = build.dims(w);
    w = build.reshape(w, {dims[0], dims[1], s.taps});
    // conv: [OC, C / groups, taps]; conv_transpose: [C, OC / groups, taps]
    if (s.groups > 1) {
        const std::int64_t part = dims[1], whole = part * s.groups, rows = dims[0] / s.groups;
        Literal repeat(DType::F32, {whole, part}), mask(DType::F32, {dims[0], whole, 1});
        for (std::int64_t i = 0; i < whole; ++i) repeat.set(i * part + i % part, 1);
        for (std::int64_t r = 0; r < dims[0]; ++r)
            for (std::int64_t i = 0; i < whole; ++i) mask.set(r * whole + i, r / rows == i / part ? 1 : 0);
        w = build.add("multiply", {build.map_axis(w, 1, std::move(repeat)), build.constant(std::move(mask))});
    }
    return build.transpose(w, s.transposed ? std::vector<std::int64_t>{2, 0, 1} : std::vector<std::int64_t>{2, 1, 0});
}

ValueId convolve(Builder& build, const Shape& s, ValueId x, ValueId weights) {
    Literal l = picks(s);
    if (build.literal(weights)) return build.add("pick_sum", {x, build.constant(std::move(l)), weights});
    x = build.reshape(x, {s.n, 1, s.in, s.c});
    const ValueId products = build.add("matmul", {x, build.reshape(weights, {1, s.taps, s.c, s.oc})});
    Literal joined(DType::F32, {s.out, s.taps * s.in});
    for (std::int64_t tap = 0; tap < s.taps; ++tap)
        for (std::int64_t o = 0; o < s.out; ++o)
            for (std::int64_t i = 0; i < s.in; ++i)
                joined.set((o * s.taps + tap) * s.in + i, l.at((tap * s.out + o) * s.in + i));
    return build.map_axis(build.reshape(products, {s.n, s.taps * s.in, s.oc}), 1, std::move(joined));
}

void run(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != "conv" && node.op != "conv_transpose") return std::nullopt;
        const Shape s = shape_of(build, node, in);
        constexpr std::int64_t most = std::int64_t{1} << 26;
        if (s.taps * s.out * s.in > most)
            fail_unsupported(node.loc,
                             "'{}' ({}) picks {} of {} positions {} times: a dense picking matrix of more than {} "
                             "datums; split the picture",
                             node.name, node.origin, s.out, s.in, s.taps, most);
        const ValueId x = build.transpose(build.reshape(in[0], {s.n, s.c, s.in}), {0, 2, 1});
        ValueId y = convolve(build, s, x, tap_weights(build, s, in[1]));
        if (in.size() > 2) y = build.add("add", {y, in[2]});
        return build.reshape(build.transpose(y, {0, 2, 1}), s.out_dims);
    });
}

}  // namespace

extern const Pass decompose_convolution;
const Pass decompose_convolution{.name = "decompose-convolution",
                                 .summary = "conv and conv_transpose from picking matrices and products",
                                 .run = run};

}  // namespace tt::ir
