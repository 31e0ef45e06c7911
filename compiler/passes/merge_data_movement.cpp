// merge-data-movement: merges successive transposes and reshapes.
//
//   %b = transpose %a {perm = p}                 %b = reshape %a
//   %c = transpose %b {perm = q}                 %c = reshape %b
//   ->  %c = transpose %a {perm = p then q}      ->  %c = reshape %a
//
// Of reshape, transpose, reshape, and of transpose, reshape, transpose, the middle op is removed if the axes it merges
// were adjacent before. If such three only reorder positions within axes, they become matrices. A move that changes
// nothing is removed. A transpose that only moves axes of size 1 becomes a reshape.
#include <numeric>

#include "compiler/ir/pass.hpp"
#include "compiler/passes/reshape_groups.hpp"

namespace ttsim::impl::ir {

static bool is_move(const Node& node, OpId op) { return node.op == op && !node.has(attr::host); }

/// A reordering within axes as one matrix for each axis, such as a channel shuffle between groups.
static std::optional<ValueId> shuffle(Builder& build, const Node& cut, const std::vector<std::int64_t>& perm,
                                      const Dims& to) {
    const ValueId source = cut.inputs[0].value;
    const auto shuffled = shuffle_of(build.dims(source), cut.type.dims, perm, to);
    if (!shuffled) return std::nullopt;
    constexpr std::size_t most = 2048;  // positions of an axis
    for (const auto& within : shuffled->within)
        if (within.size() > most) return std::nullopt;
    ValueId x = build.reshape(source, shuffled->dims);
    for (std::size_t axis = 0; axis < shuffled->within.size(); ++axis) {
        const auto& within = shuffled->within[axis];
        if (within.empty()) continue;
        const auto size = static_cast<std::int64_t>(within.size());
        Literal matrix = zero_matrix(size, size);
        for (std::int64_t i = 0; i < size; ++i) matrix.set(i * size + within[static_cast<std::size_t>(i)], 1);
        x = build.map_axis(x, static_cast<std::int64_t>(axis), std::move(matrix));
    }
    if (!keeps_order(build.dims(x), shuffled->perm)) x = build.transpose(x, shuffled->perm);
    return build.reshape(x, to);
}

static ValueId merged_reshape(Builder& build, const Node& node, ValueId x) {
    const Node inner = build.graph().nodes[x];
    if (is_move(inner, op::transpose) && is_move(build.graph().nodes[inner.inputs[0].value], op::reshape)) {
        const ValueId first = inner.inputs[0].value;
        if (const auto swapped = reshape_first(build.dims(first), inner.get(attr::perm), node.type.dims))
            return build.transpose(build.reshape(build.graph().nodes[first].inputs[0].value, swapped->dims),
                                   swapped->perm);
        const Node cut = build.graph().nodes[first];
        if (const auto shuffled = shuffle(build, cut, inner.get(attr::perm), node.type.dims)) return *shuffled;
    }
    return build.reshape(is_move(inner, op::reshape) ? inner.inputs[0].value : x, node.type.dims);
}

/// The composition of the permutations of two transposes.
static std::vector<std::int64_t> composed(const std::vector<std::int64_t>& first, std::vector<std::int64_t> then) {
    for (std::int64_t& axis : then) axis = first[static_cast<std::size_t>(axis)];
    return then;
}

/// Merges transposes around a reshape: `last` of `middle` of `first`.
static std::optional<ValueId> around_reshape(Builder& build, const Node& first, const Node& middle, const Node& last) {
    const ValueId source = first.inputs[0].value;
    const auto perm = last.get(attr::perm);
    if (const auto swapped = reshape_first(build.dims(source), first.get(attr::perm), middle.type.dims)) {
        const Node& before = build.graph().nodes[source];
        const ValueId x = build.reshape(is_move(before, op::reshape) ? before.inputs[0].value : source, swapped->dims);
        const auto order = composed(swapped->perm, perm);
        return keeps_order(build.dims(x), order) ? build.reshape(x, last.type.dims) : build.transpose(x, order);
    }
    const auto order = transpose_first(first.type.dims, middle.type.dims, perm);
    if (!order) return std::nullopt;
    return build.reshape(build.transpose(source, composed(first.get(attr::perm), *order)), last.type.dims);
}

static ValueId merged_transpose(Builder& build, const Node& node, ValueId x) {
    std::vector<std::int64_t> perm = node.get(attr::perm);
    const Node inner = build.graph().nodes[x];
    if (is_move(inner, op::transpose)) {
        perm = composed(inner.get(attr::perm), perm);
        x = inner.inputs[0].value;
    } else if (is_move(inner, op::reshape)) {
        const Node first = build.graph().nodes[inner.inputs[0].value];
        if (is_move(first, op::transpose))
            if (const auto merged = around_reshape(build, first, inner, node)) return *merged;
    }
    if (keeps_order(build.dims(x), perm)) {
        const Node& source = build.graph().nodes[x];
        return build.reshape(is_move(source, op::reshape) ? source.inputs[0].value : x, node.type.dims);
    }
    return build.transpose(x, perm);
}

static void run_merge_data_movement(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op == op::transpose) return merged_transpose(build, node, in[0]);
        if (node.op != op::reshape) return std::nullopt;
        return merged_reshape(build, node, in[0]);
    });
}

extern const Pass merge_data_movement;
const Pass merge_data_movement{.name = "merge-data-movement",
                               .summary = "merge successive transposes and reshapes, and drop those without effect",
                               .run = run_merge_data_movement,
                               .optional = true};

}  // namespace ttsim::impl::ir
