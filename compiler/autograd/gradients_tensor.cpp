// Gradients of ops that move or combine elements of different positions.
#include <algorithm>
#include <numeric>

#include "compiler/autograd/gradients.hpp"
#include "compiler/ir/gather_map.hpp"

namespace ttsim::impl::ir {

namespace {

using Result = std::optional<ValueId>;

/// The last two axes swapped.
ValueId transposed(Builder& build, ValueId x) {
    std::vector<std::int64_t> perm(build.dims(x).size());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return build.transpose(x, perm);
}

/// y = a * b: the gradients are g * b^T and a^T * g. If b has no batch axes and a has some, all batches of a^T are one
/// product, which sums over them.
Result of_matmul(const GradientCall& call, std::size_t k) {
    Builder& build = call.build;
    const Dims a = build.dims(call.in[0]), b = build.dims(call.in[1]), g = build.dims(call.grad);
    if (k == 0) return build.add(op::matmul, {call.grad, transposed(build, call.in[1])});
    const bool shared = count({b.begin(), b.end() - 2}) == 1 && a.size() == g.size();
    if (!shared) return build.add(op::matmul, {transposed(build, call.in[0]), call.grad});
    const std::int64_t rows = count(g) / g.back();
    const ValueId left = transposed(build, build.reshape(call.in[0], {rows, a.back()}));
    const ValueId product = build.add(op::matmul, {left, build.reshape(call.grad, {rows, g.back()})});
    return build.reshape(product, b);
}

/// The transpose of a matrix, as a constant if it is one.
Result of_map_axis(const GradientCall& call, std::size_t k) {
    if (k == 1) return std::nullopt;  // the matrix is made by the compiler
    const ValueId matrix = call.build.transpose(call.in[1], {1, 0});
    return call.build.add(op::map_axis, {call.grad, matrix}, {attr::axis(call.node.get(attr::axis))});
}

Result of_reshape(const GradientCall& call, std::size_t) {
    return call.build.reshape(call.grad, call.build.dims(call.in[0]));
}

Result of_transpose(const GradientCall& call, std::size_t) {
    const std::vector<std::int64_t> perm = call.node.get(attr::perm);
    std::vector<std::int64_t> inverse(perm.size());
    for (std::size_t i = 0; i < perm.size(); ++i)
        inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
    return call.build.transpose(call.grad, inverse);
}

Result of_hslice(const GradientCall& call, std::size_t) {
    return call.build.add(op::hstack, {call.grad}, {attr::n(call.node.get(attr::n))});
}
Result of_hstack(const GradientCall& call, std::size_t) {
    return call.build.add(op::hslice, {call.grad}, {attr::n(call.node.get(attr::n))});
}

/// The first of several equal maxima gets the gradient.
Result of_reduce_max(const GradientCall& call, std::size_t) {
    Builder& build = call.build;
    const Dims dims = build.dims(call.in[0]);
    const std::int64_t axis = call.node.get(attr::axis), n = dims[static_cast<std::size_t>(axis)];
    const ValueId hit = build.cast(build.add(op::greater_equal, {call.in[0], call.out}), DType::F32);
    Literal before = zero_matrix(n, n);  // sums of the hits at lower indices
    for (std::int64_t o = 0; o < n; ++o)
        for (std::int64_t i = 0; i < o; ++i) before.set(o * n + i, 1);
    const ValueId earlier = build.add(op::less, {build.map_axis(hit, axis, std::move(before)), build.scalar(0.5)});
    const ValueId first = build.add(op::multiply, {hit, build.cast(earlier, DType::F32)});
    return build.add(op::multiply, {first, call.grad});
}

/// x [.., p, c] from the gradient of gathered rows [.., j, q, c].
ValueId scattered(const GradientCall& call, ValueId rows) {
    Builder& build = call.build;
    const Dims x = build.dims(call.in[0]);
    if (!build.literal(call.in[1]))
        fail_unsupported(call.node.loc, "'{}' gathers rows by computed indices, which has no gradient", call.node.name);
    return build.add(op::scatter_rows, {rows, call.in[1]}, {attr::rows(x[x.size() - 2])});
}

/// Dims of x with other rows and columns.
Dims with_last(const Dims& x, std::initializer_list<std::int64_t> last) {
    Dims dims(x.begin(), x.end() - 2);
    dims.insert(dims.end(), last);
    return dims;
}

Result of_gather_rows(const GradientCall& call, std::size_t k) {
    if (k == 1) return std::nullopt;
    return scattered(call, call.grad);
}

Result of_scatter_rows(const GradientCall& call, std::size_t k) {
    if (k == 1) return std::nullopt;
    return call.build.add(op::gather_rows, {call.grad, call.in[1]});
}

/// y = sum_j x[map[j]] * R[j]: by x the rows g * R[j]^T, scattered; by R[j] the product x[map[j]]^T * g.
Result of_gather_sum(const GradientCall& call, std::size_t k) {
    if (k == 1) return std::nullopt;
    Builder& build = call.build;
    const Dims x = build.dims(call.in[0]), map = build.dims(call.in[1]), r = build.dims(call.in[2]);
    const std::int64_t groups = call.node.get(attr::groups), taps = map[0], out = map[1];
    const std::int64_t part = r[1], share = r[2] / groups;
    const std::int64_t batch = count({x.begin(), x.end() - 2});
    // by groups: x {batch, taps, out, groups * part}, g {batch, out, groups * share}, R {taps, part, groups * share}
    const ValueId g = build.transpose(build.reshape(call.grad, {batch, out, groups, share}), {0, 2, 1, 3});
    if (k == 0) {
        const ValueId weights = build.transpose(build.reshape(call.in[2], {taps, part, groups, share}), {0, 2, 3, 1});
        const ValueId rows = build.add(op::matmul, {build.reshape(g, {batch, 1, groups, out, share}),
                                                    build.reshape(weights, {1, taps, groups, share, part})});
        const ValueId by_row = build.transpose(rows, {0, 1, 3, 2, 4});
        return scattered(call, build.reshape(by_row, with_last(x, {taps, out, groups * part})));
    }
    ValueId rows = build.add(op::gather_rows, {call.in[0], call.in[1]});
    rows = build.transpose(build.reshape(rows, {batch, taps, out, groups, part}), {1, 3, 4, 0, 2});
    rows = build.reshape(rows, {taps, groups, part, batch * out});
    const ValueId right = build.reshape(build.transpose(g, {1, 0, 2, 3}), {1, groups, batch * out, share});
    const ValueId product = build.add(op::matmul, {rows, right});  // {taps, groups, part, share}
    return build.reshape(build.transpose(product, {0, 2, 1, 3}), r);
}

}  // namespace

std::span<const GradientRow> tensor_gradients() {
    static constexpr GradientRow rows[] = {
        {op::matmul, of_matmul},         {op::map_axis, of_map_axis},
        {op::reshape, of_reshape},       {op::transpose, of_transpose},
        {op::hslice, of_hslice},         {op::hstack, of_hstack},
        {op::reduce_max, of_reduce_max}, {op::gather_rows, of_gather_rows},
        {op::gather_sum, of_gather_sum}, {op::scatter_rows, of_scatter_rows},
    };
    return rows;
}

}  // namespace ttsim::impl::ir
