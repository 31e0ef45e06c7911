// decompose-indexing: lookups, argmax and prefix sums as comparisons and products.
//
//   %y = take %x, %ids {axis}   ->  one_hot(ids) * x, one_hot from a comparison with 0, 1, 2, ...
//   %y = cumulative_sum %x {axis}   ->  map_axis by a matrix of ones below its diagonal
//   %y = arg_max %x {axis}      ->  the maximum of a falling score where x is its maximum
//
// Exact while the data format holds the indices exactly; mark-host moves the others to the host where it may.
#include <algorithm>
#include <numeric>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// [.., size]: 1 at the index; negative indices count from the end. `ids` has the type f32.
ValueId one_hot(Builder& b, ValueId ids, std::int64_t size) {
    Dims dims = b.dims(ids);
    const ValueId below = b.cast(b.add(op::less, {ids, b.scalar(0)}), DType::F32);
    ids = b.add(op::add, {ids, b.add(op::multiply, {below, b.scalar(static_cast<double>(size))})});
    dims.push_back(1);
    Literal numbers(DType::F32, {size});
    for (std::int64_t k = 0; k < size; ++k) numbers.set(k, static_cast<double>(k));
    return b.cast(b.add(op::equal, {b.reshape(ids, dims), b.constant(std::move(numbers))}), DType::F32);
}

ValueId axis_moved(Builder& b, ValueId x, std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> perm(b.dims(x).size());
    std::iota(perm.begin(), perm.end(), 0);
    perm.erase(perm.begin() + from);
    perm.insert(perm.begin() + to, from);
    return b.transpose(x, perm);
}

/// Throws Error(Input) for a constant index outside the axis: its one-hot row would be zeros.
void check_indices(const Node& node, const Literal& ids, std::int64_t axis, std::int64_t size) {
    for (std::int64_t k = 0; k < ids.size(); ++k)
        if (const double id = ids.at(k); !(id >= -static_cast<double>(size) && id < static_cast<double>(size)))
            fail_input(node.loc, "'{}' takes index {} of axis {}, which has {}: indices are {} to {}", node.name, id,
                       axis, size, -size, size - 1);
}

ValueId take(Builder& b, const Node& node, ValueId x, ValueId ids) {
    const Dims d = b.dims(x);
    const std::int64_t axis = node.get(attr::axis), size = d[static_cast<std::size_t>(axis)];
    if (const Literal* known = b.literal(ids)) check_indices(node, *known, axis, size);
    const std::int64_t ids_count = count(b.dims(ids)), rest = count(d) / std::max<std::int64_t>(size, 1);
    const ValueId flat = b.reshape(b.cast(ids, DType::F32), {ids_count});
    const ValueId one_hot_rows = one_hot(b, flat, size);
    const ValueId table = b.reshape(axis_moved(b, x, axis, 0), {size, rest});
    Dims front{ids_count};
    for (std::size_t k = 0; k < d.size(); ++k)
        if (static_cast<std::int64_t>(k) != axis) front.push_back(d[k]);
    ValueId rows = b.add(op::matmul, {one_hot_rows, b.cast(table, DType::F32)});
    if (const std::int64_t padding = node.get(attr::padding_index); padding >= 0) {
        const ValueId is_padding =
            b.add(op::equal, {b.reshape(flat, {ids_count, 1}), b.scalar(static_cast<double>(padding))});
        rows = b.add(op::scale_gradient, {rows, b.cast(b.add(op::not_, {is_padding}), DType::F32)});
    }
    return b.cast(b.reshape(axis_moved(b, b.reshape(rows, front), 0, axis), node.type.dims), node.type.dtype);
}

ValueId arg_max(Builder& b, const Node& node, ValueId x) {
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const bool last = node.get(attr::last);
    const auto most = [&](ValueId v) { return b.add(op::reduce_max, {v}, {attr::axis(node.get(attr::axis))}); };
    x = b.cast(x, DType::F32);
    const std::int64_t size = b.dims(x)[axis];
    const ValueId hit = b.cast(b.add(op::greater_equal, {x, b.broadcast_to(most(x), b.dims(x))}), DType::F32);
    Dims dims(b.dims(x).size(), 1);
    dims[axis] = size;
    Literal score(DType::F32, dims);
    for (std::int64_t k = 0; k < size; ++k) score.set(k, static_cast<double>(last ? k + 1 : size - k));
    const ValueId best = most(b.add(op::multiply, {hit, b.constant(std::move(score))}));
    const ValueId offset = b.scalar(static_cast<double>(last ? 1 : size));
    const ValueId index = last ? b.add(op::subtract, {best, offset}) : b.add(op::subtract, {offset, best});
    return b.cast(index, DType::I64);
}

ValueId cumulative_sum(Builder& b, const Node& node, ValueId x) {
    const std::int64_t axis = node.get(attr::axis), size = b.dims(x)[static_cast<std::size_t>(axis)];
    const bool exclusive = node.get(attr::exclusive), reverse = node.get(attr::reverse);
    Literal matrix = zero_matrix(size, size, node.loc, node.name);
    for (std::int64_t o = 0; o < size; ++o)
        for (std::int64_t k = 0; k < size; ++k) {
            const bool before = reverse ? k > o : k < o;
            matrix.set(o * size + k, before || (k == o && !exclusive) ? 1 : 0);
        }
    return b.map_axis(x, axis, std::move(matrix));
}

void run_decompose_indexing(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op == op::take) return take(build, node, in[0], in[1]);
        if (node.op == op::arg_max) return arg_max(build, node, in[0]);
        if (node.op == op::cumulative_sum) return cumulative_sum(build, node, in[0]);
        return std::nullopt;
    });
}

}  // namespace

extern const Pass decompose_indexing;
const Pass decompose_indexing{.name = "decompose-indexing",
                              .summary = "take, arg_max and running sums from comparisons and products",
                              .run = run_decompose_indexing};

}  // namespace ttsim::impl::ir
