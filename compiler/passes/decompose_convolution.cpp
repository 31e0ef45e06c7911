// decompose-convolution: a convolution is a sum over kernel positions k, with channels of x last [N, P, C]:
//
//   y[q] = sum_k x[map[k][q]] * W[k]        map[k][q]: the input position that k reads for output q, -1 outside
//
// With constant weights this is one gather_sum. With --conv-fracture or the override `fracture` the kernel is split by
// its rows, and the result is a sum of gather_sums:
//
//   y = gather_sum(x, map of rows 0..a, W of rows 0..a) + bias + gather_sum(x, map of rows a..b, ...) + ...
//
// Each part needs less memory, and the parts run in parallel.
//
// A long signal of one channel would have one element in a row. If kernel and stride are multiples of a row length, it
// is reshaped to such rows. A window of a short-time Fourier transform is then a few consecutive rows, and a kernel
// position is one row.
//
// Weights computed at run time use matmul: a batch of x * W[k] for all k, then one map_axis that gathers and sums.
#include <algorithm>
#include <numeric>

#include "compiler/ir/pass.hpp"
#include "compiler/ops/window.hpp"
#include "isa/tile.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr ValueId no_value = ~ValueId{0};

struct Shape {
    std::vector<Window> spatial;
    std::int64_t n = 1, c = 1, oc = 1, in = 1, out = 1, taps = 1, groups = 1;
    bool transposed = false;
    bool signal = false;  ///< a signal of one channel, reshaped to rows
    Dims out_dims;
};

Shape shape_of(const Builder& build, const Node& node, std::span<const ValueId> in) {
    Shape s;
    const Dims x = build.dims(in[0]), w = build.dims(in[1]);
    s.transposed = node.op == op::conv_transpose;
    s.groups = node.get(attr::group);
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

/// Weights as [taps, C / groups, OC].
ValueId weights_by_tap(Builder& build, const Shape& s, ValueId w) {
    const Dims dims = build.dims(w);
    w = build.reshape(w, {dims[0], dims[1], s.taps});
    if (!s.transposed) return build.transpose(w, {2, 1, 0});
    // conv_transpose has [C, OC / groups, taps]: groups of rows move to columns
    w = build.reshape(w, {s.groups, dims[0] / s.groups, dims[1], s.taps});
    return build.reshape(build.transpose(w, {3, 1, 0, 2}), {s.taps, dims[0] / s.groups, dims[1] * s.groups});
}

/// [taps, C / groups, OC] expanded with zeros between groups: [taps, C, OC].
ValueId ungrouped_weights(Builder& build, const Shape& s, ValueId w) {
    if (s.groups == 1) return w;
    const std::int64_t part = s.c / s.groups;
    Literal repeat = zero_matrix(s.c, part), mask(DType::F32, {1, s.c, s.oc});
    for (std::int64_t i = 0; i < s.c; ++i) {
        repeat.set(i * part + i % part, 1);
        for (std::int64_t o = 0; o < s.oc; ++o) mask.set(i * s.oc + o, o / (s.oc / s.groups) == i / part ? 1 : 0);
    }
    return build.add(op::multiply, {build.map_axis(w, 1, std::move(repeat)), build.constant(std::move(mask))});
}

/// Entries first .. end - 1 along the first axis.
Literal part_of(const Literal& all, std::int64_t first, std::int64_t end) {
    Dims dims = all.dims();
    const std::int64_t step = all.size() / dims[0];
    dims[0] = end - first;
    Literal part(all.dtype(), std::move(dims), max_read_elements);
    const auto copy = [&](const auto& from, auto& to) {
        std::copy_n(from.begin() + first * step, to.size(), to.begin());
    };
    if (is_float(all.dtype()))
        copy(all.floats(), part.floats());
    else
        copy(all.integer_elements(), part.integer_elements());
    return part;
}

/// The gather_sums for constant weights, with the kernel's rows split into `parts` of nearly equal size. Parts that
/// read no input position are left out.
ValueId gather_sums(Builder& build, const Shape& s, ValueId x, ValueId weights, ValueId bias, std::int64_t parts) {
    const Literal& values = *build.literal(weights);
    Attrs attrs;
    if (s.groups > 1) set(attrs, attr::groups, s.groups);
    const std::int64_t rows = s.spatial.front().kernel, across = s.taps / rows;
    std::optional<ValueId> sum;
    const auto add = [&](ValueId value) { sum = sum ? build.add(op::add, {*sum, value}) : value; };
    for (std::int64_t p = 0; p < parts; ++p) {
        const std::int64_t first = rows * p / parts * across, end = rows * (p + 1) / parts * across;
        Literal map = source_map(s.spatial, first, end);
        const bool none = map.gather_map()->runs().empty();
        if (none && (sum || p + 1 < parts)) continue;
        const auto part_of_weights = [&] {
            const Literal* const of[] = {&values};
            return build.cached(fmt::format("entries {} to {}", first, end), of,
                                [&] { return part_of(values, first, end); });
        };
        const ValueId part = parts == 1 ? weights : build.constant(part_of_weights());
        const bool first_part = !sum;
        add(build.add(op::gather_sum, {x, build.constant(std::move(map)), part}, attrs));
        if (first_part && bias != no_value) add(bias);
    }
    return *sum;
}

ValueId convolve_by_matmul(Builder& build, const Node& node, const Shape& s, ValueId x, ValueId weights) {
    x = build.reshape(x, {s.n, 1, s.in, s.c});
    weights = ungrouped_weights(build, s, weights);
    const ValueId products = build.add(op::matmul, {x, build.reshape(weights, {1, s.taps, s.c, s.oc})});
    Literal joined = zero_matrix(s.out, s.taps * s.in, node.loc, node.origin);
    source_map(s.spatial).for_each_gathered(0, s.taps * s.out, [&](std::int64_t i, std::int64_t from) {
        joined.set((i % s.out * s.taps + i / s.out) * s.in + from, 1);
    });
    return build.map_axis(build.reshape(products, {s.n, s.taps * s.in, s.oc}), 1, std::move(joined));
}

/// Trained weights: the gathered rows of all taps side by side, times one matrix of weights. Its layout is that of
/// constant weights, so that their gradient is one product as well.
ValueId convolve_gathered(Builder& build, const Shape& s, ValueId x, ValueId weights) {
    const std::int64_t part = s.c / s.groups, share = s.oc / s.groups;
    const ValueId map = build.constant(source_map(s.spatial));
    const ValueId rows = build.add(op::gather_rows, {x, map});  // [n, taps, out, c]
    if (s.groups == 1 && s.c % tile_edge != 0) {  // columns of a tap fill no whole tile, so that none are side by side
        const ValueId products = build.add(op::matmul, {rows, build.reshape(weights, {1, s.taps, s.c, s.oc})});
        return build.reshape(build.reduce_sum(products, 1), {s.n, s.out, s.oc});
    }
    if (s.groups == 1) {
        const ValueId wide = build.add(op::hstack, {rows}, {attr::n(s.taps)});
        return build.add(op::matmul, {wide, build.reshape(weights, {s.taps * s.c, s.oc})});
    }
    if (part == 1 && share == 1) {
        const ValueId products = build.add(op::multiply, {rows, build.reshape(weights, {1, s.taps, 1, s.c})});
        return build.reshape(build.reduce_sum(products, 1), {s.n, s.out, s.oc});
    }
    const ValueId by_group =
        build.transpose(build.reshape(rows, {s.n, s.taps, s.out, s.groups, part}), {0, 3, 2, 1, 4});
    const ValueId matrices = build.transpose(build.reshape(weights, {s.taps, part, s.groups, share}), {2, 0, 1, 3});
    const ValueId products = build.add(op::matmul, {build.reshape(by_group, {s.n, s.groups, s.out, s.taps * part}),
                                                    build.reshape(matrices, {1, s.groups, s.taps * part, share})});
    return build.reshape(build.transpose(products, {0, 2, 1, 3}), {s.n, s.out, s.oc});
}

/// The number of parts, limited by the kernel's rows. An override for this convolution must be met exactly.
std::int64_t parts_of(const Node& node, const Shape& s, const PassOptions& options) {
    const std::int64_t rows = s.spatial.front().kernel;
    const OpOverride* own = convolution_override(options.overrides, node);
    if (!own) return std::clamp<std::int64_t>(options.conv_fracture, 1, rows);
    if (s.signal) return std::min(*own->fracture, rows);
    if (*own->fracture > rows)
        fail_input(own->loc, "'{}' cannot be split into {} parts: its kernel has {} rows", node.name, *own->fracture,
                   rows);
    return *own->fracture;
}

/// The convolution of a long signal, reshaped to rows of gcd(kernel, stride) elements.
std::optional<Shape> by_rows(const Shape& s) {
    constexpr std::int64_t long_signal = 1 << 16, least = 16;  // limit of elements in all windows; minimum row length
    if (s.transposed || s.c != 1 || s.groups != 1 || s.spatial.size() != 1 || s.taps * s.out <= long_signal)
        return std::nullopt;
    const Window& window = s.spatial.front();
    const std::int64_t row = std::gcd(window.kernel, window.stride);
    if (row < least || window.dilation != 1 || window.in % row != 0 || window.pad_before % row != 0)
        return std::nullopt;
    Shape rows = s;
    rows.signal = true;
    rows.spatial = {{.in = window.in / row,
                     .out = window.out,
                     .kernel = window.kernel / row,
                     .stride = window.stride / row,
                     .dilation = 1,
                     .pad_before = window.pad_before / row,
                     .pad_after = window.pad_after / row}};
    rows.c = row;
    rows.in /= row;
    rows.taps /= row;
    return rows;
}

void run_decompose_convolution(Graph& graph, const PassOptions& options) {
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::conv && node.op != op::conv_transpose) return std::nullopt;
        Shape s = shape_of(build, node, in);
        ValueId x = build.reshape(channels_last(build, in[0]), {s.n, s.in, s.c});
        ValueId weights = weights_by_tap(build, s, in[1]);
        if (const auto rows = build.literal(weights) ? by_rows(s) : std::nullopt) {
            s = *rows;
            x = build.reshape(x, {s.n, s.in, s.c});
            weights = build.reshape(weights, {s.taps, s.c, s.oc});
        }
        const ValueId bias = in.size() > 2 ? in[2] : no_value;
        if (build.literal(weights))
            return channels_first(build, s.spatial,
                                  gather_sums(build, s, x, weights, bias, parts_of(node, s, options)));
        ValueId y =
            options.training ? convolve_gathered(build, s, x, weights) : convolve_by_matmul(build, node, s, x, weights);
        if (bias != no_value) y = build.add(op::add, {y, bias});
        return channels_first(build, s.spatial, y);
    });
}

}  // namespace

extern const Pass decompose_convolution;
const Pass decompose_convolution{.name = "decompose-convolution",
                                 .summary = "conv and conv_transpose as gathered rows and products",
                                 .run = run_decompose_convolution};

}  // namespace ttsim::impl::ir
