// fuse-slice-stack: turns reshapes with transposes, as of attention heads, into slices and stacks.
//
//   %a = reshape %x : [.., r, n * c] -> [.., r, n, c]
//   %b = transpose %a, the two axes before the last swapped       ->  %b = hslice %x {n}
//
//   %a = transpose %x : [.., n, r, c] -> [.., r, n, c]
//   %b = reshape %a : -> [.., r, n * c]                           ->  %b = hstack %x {n}
//
//   %a = reshape %x : [.., r, n * c] -> [.., r, n, c]
//   %b = map_axis %a, %m along n                                  ->  %b = transpose (map_axis (hslice %x {n}), %m)
//
// c must be a multiple of the tile size, so that a TM can do it. The rest of the transpose stays, before or after. Axes
// of size 1 behind the first one are left out before.
#include <algorithm>
#include <numeric>

#include "compiler/ir/pass.hpp"
#include "compiler/lower/lowering.hpp"

namespace ttsim::impl::ir {

namespace {

using Perm = std::vector<std::int64_t>;

Perm middle_swap(std::size_t rank) {
    Perm perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[rank - 2], perm[rank - 3]);
    return perm;
}

/// `split` with its last two axes merged.
Dims merged(const Dims& split) {
    Dims dims(split.begin(), split.end() - 1);
    dims.back() *= split.back();
    return dims;
}
/// Whether a reshape between the two splits the last axis in two, the second part of whole tiles. Leading axes of size
/// 1 are ignored.
bool splits_last(const Dims& merged_dims, const Dims& split) {
    return split.size() >= 3 && split.back() % tile_edge == 0 && merged_dims.size() >= 2 &&
           form_of(merged_dims) == form_of(merged(split));
}

std::optional<ValueId> slice(Builder& build, const Node& node, ValueId x) {
    const Node inner = build.graph().nodes[x];
    if (inner.op == op::transpose) {  // a result of map_of_slices()
        Perm both;
        for (const std::int64_t axis : node.get(attr::perm))
            both.push_back(inner.get(attr::perm)[static_cast<std::size_t>(axis)]);
        return build.transpose(inner.inputs[0].value, both);
    }
    if (inner.op != op::reshape || !splits_last(build.dims(inner.inputs[0].value), inner.type.dims))
        return std::nullopt;
    const Perm perm = node.get(attr::perm), swap = middle_swap(perm.size());
    Perm rest;
    for (const std::int64_t axis : perm) rest.push_back(std::find(swap.begin(), swap.end(), axis) - swap.begin());
    for (std::size_t k = 0; k + 2 < rest.size(); ++k)
        if (rest[k] != static_cast<std::int64_t>(k))
            return std::nullopt;  // more than a swap of the last two axes is left
    const std::int64_t n = inner.type.dims[inner.type.dims.size() - 2];
    const ValueId source = build.reshape(inner.inputs[0].value, merged(inner.type.dims));
    return build.transpose(build.add(op::hslice, {source}, {attr::n(n)}), rest);
}

/// A selection of slices, such as the heads of the queries. Without hslice each row would be one of n slices.
std::optional<ValueId> map_of_slices(Builder& build, const Node& node, std::span<const ValueId> in) {
    const Node inner = build.graph().nodes[in[0]];
    const std::int64_t rank = std::ssize(inner.type.dims);
    if (inner.op != op::reshape || node.get(attr::axis) + 2 != rank || !build.literal(in[1]) ||
        !splits_last(build.dims(inner.inputs[0].value), inner.type.dims))
        return std::nullopt;
    const ValueId source = build.reshape(inner.inputs[0].value, merged(inner.type.dims));
    const std::int64_t n = inner.type.dims[inner.type.dims.size() - 2];
    const ValueId slices = build.add(op::hslice, {source}, {attr::n(n)});
    return build.transpose(build.map_axis(slices, rank - 3, *build.literal(in[1])),
                           middle_swap(inner.type.dims.size()));
}

std::optional<ValueId> stack(Builder& build, const Node& node, ValueId x) {
    const Node inner = build.graph().nodes[x];
    if (inner.op != op::transpose || !splits_last(node.type.dims, inner.type.dims)) return std::nullopt;
    Perm perm = inner.get(attr::perm);
    const std::size_t rank = perm.size();
    if (perm.back() + 1 != static_cast<std::int64_t>(rank)) return std::nullopt;
    std::swap(perm[rank - 2], perm[rank - 3]);
    const std::int64_t n = inner.type.dims[rank - 2];
    const ValueId stacked = build.add(op::hstack, {build.transpose(inner.inputs[0].value, perm)}, {attr::n(n)});
    return build.reshape(stacked, node.type.dims);
}

/// A transpose of a reshape without the axes of size 1 between others, as unbind() leaves them.
std::optional<ValueId> squeezed(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (node.op != op::transpose || node.has(attr::host)) return std::nullopt;
    const Node inner = build.graph().nodes[in[0]];
    if (inner.op != op::reshape || inner.has(attr::host)) return std::nullopt;
    const Dims& dims = inner.type.dims;
    const auto rank = static_cast<std::int64_t>(dims.size());
    std::vector<std::int64_t> place(dims.size(), -1);  // of each axis that stays
    Dims kept;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
        if (dims[static_cast<std::size_t>(axis)] == 1 && axis > 0 && axis + 1 < rank) continue;
        place[static_cast<std::size_t>(axis)] = std::ssize(kept);
        kept.push_back(dims[static_cast<std::size_t>(axis)]);
    }
    if (kept.size() == dims.size()) return std::nullopt;
    Perm perm;
    for (const std::int64_t axis : node.get(attr::perm))
        if (place[static_cast<std::size_t>(axis)] >= 0) perm.push_back(place[static_cast<std::size_t>(axis)]);
    return build.reshape(build.transpose(build.reshape(inner.inputs[0].value, kept), perm), node.type.dims);
}

void run_fuse_slice_stack(Graph& graph, const PassOptions&) {
    rewrite(graph, squeezed);
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op == op::transpose) return slice(build, node, in[0]);
        if (node.op == op::reshape) return stack(build, node, in[0]);
        if (node.op == op::map_axis) return map_of_slices(build, node, in);
        return std::nullopt;
    });
}

}  // namespace

extern const Pass fuse_slice_stack;
const Pass fuse_slice_stack{.name = "fuse-slice-stack",
                            .summary = "reshapes and transposes of attention heads as TMs",
                            .run = run_fuse_slice_stack,
                            .optional = true};

}  // namespace ttsim::impl::ir
