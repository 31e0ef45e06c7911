// split-data-movement: splits transposes into steps that the device has: swaps of the last two axes, and reorderings of
// rows.
//
//   %y = transpose %x {perm}   ->  Rows are reordered, the last two axes swapped, and rows reordered again.
//   %y = reduce_max %x {axis}  ->  The axis becomes the last one, unless it is the last or third from last.
#include <algorithm>
#include <numeric>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

using Perm = std::vector<std::int64_t>;

/// Permutations that compose to `perm`; each keeps the last axis or swaps the last two.
std::vector<Perm> steps(const Perm& perm) {
    const std::size_t n = perm.size();
    const auto last = static_cast<std::int64_t>(n) - 1;
    Perm swap(n);
    std::iota(swap.begin(), swap.end(), 0);
    std::swap(swap[n - 1], swap[n - 2]);
    if (perm.back() == last || perm == swap) return {perm};
    // first: the final last axis becomes the second to last; the others keep their order
    Perm first;
    for (std::int64_t a = 0; a < last; ++a)
        if (a != perm.back()) first.push_back(a);
    first.push_back(perm.back());
    first.push_back(last);
    Perm after(n);
    for (std::size_t i = 0; i < n; ++i) after[i] = first[static_cast<std::size_t>(swap[i])];
    Perm then(n);
    for (std::size_t i = 0; i < n; ++i) then[i] = std::find(after.begin(), after.end(), perm[i]) - after.begin();
    return {first, swap, then};
}

ValueId last_axis_max(Builder& build, ValueId x, std::int64_t axis) {
    const auto last = static_cast<std::int64_t>(build.dims(x).size()) - 1;
    if (axis == last || axis + 2 == last) return build.add(op::reduce_max, {x}, {attr::axis(axis)});
    Perm perm(static_cast<std::size_t>(last + 1));
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[static_cast<std::size_t>(axis)], perm.back());
    Dims dims = build.dims(x);
    dims[static_cast<std::size_t>(axis)] = 1;
    const ValueId transposed = build.transpose(x, perm);
    return build.transpose(build.add(op::reduce_max, {transposed}, {attr::axis(last)}), perm);
}

void split_reductions(Graph& graph) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::reduce_max) return std::nullopt;
        return last_axis_max(build, in[0], node.get(attr::axis));
    });
}

void run_split_data_movement(Graph& graph, const PassOptions&) {
    split_reductions(graph);
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::transpose) return std::nullopt;
        ValueId x = in[0];
        for (const Perm& perm : steps(node.get(attr::perm))) x = build.transpose(x, perm);
        return x;
    });
}

}  // namespace

extern const Pass split_data_movement;
const Pass split_data_movement{.name = "split-data-movement",
                               .summary = "split transposes into steps that keep the last axis or swap the last two",
                               .run = run_split_data_movement};

}  // namespace ttsim::impl::ir
