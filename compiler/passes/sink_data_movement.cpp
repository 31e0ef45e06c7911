// sink-data-movement: sinks reshapes and transposes below elementwise ops, next to their inverses.
//
//   %a = transpose %x {perm = [0, 3, 1, 2]}          %r = relu %x
//   %r = relu %a                               ->    %a = transpose %r {perm = [0, 3, 1, 2]}
//
// It handles elementwise ops with one operand. A second operand may be a constant, a single element, or also the result
// of such ops; the inverse op is applied to it. The pass also handles map_axis along an axis that the ops keep, and
// reduce_max over all axes that they split from one axis.
#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/ir/pass.hpp"
#include "compiler/passes/reshape_groups.hpp"

namespace ttsim::impl::ir {

namespace {

/// A reshape or a transpose, from `from` to `to`.
struct DataMovement {
    bool reshape = false;
    Dims from, to, perm;
};

struct Chain {
    ValueId source = 0;
    std::vector<DataMovement> ops;  ///< in order
};

Chain chain_of(const Builder& build, const Graph& graph, ValueId value) {
    Chain chain{value, {}};
    for (;;) {
        const Node& node = graph.nodes[chain.source];
        if ((node.op != op::reshape && node.op != op::transpose) || node.has(attr::host)) break;
        const ValueId from = node.inputs[0].value;
        chain.ops.push_back({node.op == op::reshape, build.dims(from), node.type.dims, node.get(attr::perm)});
        chain.source = from;
    }
    std::reverse(chain.ops.begin(), chain.ops.end());
    return chain;
}

/// Converts an operand that broadcasts to movement.to into one that broadcasts to movement.from.
std::optional<ValueId> apply_inverse(Builder& build, ValueId x, const DataMovement& movement) {
    Dims dims(movement.to.size() - build.dims(x).size(), 1);
    const Dims own = build.dims(x);
    dims.insert(dims.end(), own.begin(), own.end());
    x = build.reshape(x, dims);
    if (!movement.reshape) {
        std::vector<std::int64_t> back(movement.perm.size());
        for (std::size_t i = 0; i < back.size(); ++i)
            back[static_cast<std::size_t>(movement.perm[i])] = static_cast<std::int64_t>(i);
        return build.transpose(x, back);
    }
    Dims result(movement.from.size(), 1);
    for (const AxisGroup& g : groups_of(movement.from, movement.to)) {
        const auto at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
        const auto first = dims.begin() + at(g.b0), last = dims.begin() + at(g.b1);
        if (std::all_of(first, last, [](std::int64_t d) { return d == 1; })) continue;
        if (!std::equal(first, last, movement.to.begin() + at(g.b0))) {
            if (!build.literal(x)) return std::nullopt;
            std::copy(movement.to.begin() + at(g.b0), movement.to.begin() + at(g.b1), first);
        }
        std::copy(movement.from.begin() + at(g.a0), movement.from.begin() + at(g.a1), result.begin() + at(g.a0));
    }
    return build.reshape(build.broadcast_to(x, dims), result);
}

std::optional<ValueId> apply_inverse(Builder& build, ValueId x, const Chain& chain) {
    if (count(build.dims(x)) == 1) return build.reshape(x, Dims(build.dims(chain.source).size(), 1));
    for (auto movement = chain.ops.rbegin(); movement != chain.ops.rend(); ++movement) {
        const auto back = apply_inverse(build, x, *movement);
        if (!back) return std::nullopt;
        x = *back;
    }
    return x;
}

/// Number of tiles of a tensor; all axes but the last two are slices.
std::int64_t tiles_of(const Dims& dims) {
    constexpr std::int64_t edge = tile_edge;
    std::int64_t tiles = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) tiles *= i + 2 < dims.size() ? dims[i] : (dims[i] + edge - 1) / edge;
    return tiles;
}

/// Whether the operand before the chain has many more tiles, so that sinking costs more than it saves. Example:
/// [1500, 1, 4] has 1500 tiles, [1500, 4] has 47.
bool wastes_tiles_before(const Builder& build, const Chain& chain) {
    constexpr std::int64_t min_tiles = 64, max_ratio = 2;
    const std::int64_t before = tiles_of(build.dims(chain.source));
    return !chain.ops.empty() && before > min_tiles && before > max_ratio * tiles_of(chain.ops.back().to);
}

ValueId apply(Builder& build, ValueId x, const Chain& chain) {
    for (const DataMovement& movement : chain.ops)
        x = movement.reshape ? build.reshape(x, movement.to) : build.transpose(x, movement.perm);
    return x;
}

std::optional<ValueId> sink_unary(Builder& build, const Node& node, ValueId x) {
    const Chain chain = chain_of(build, build.graph(), x);
    if (chain.ops.empty() || wastes_tiles_before(build, chain)) return std::nullopt;
    return apply(build, build.add(node.op, {chain.source}, node.attrs), chain);
}

std::optional<ValueId> sink_binary(Builder& build, const Node& node, std::span<const ValueId> in) {
    for (const std::size_t base : {std::size_t{0}, std::size_t{1}}) {
        const Chain chain = chain_of(build, build.graph(), in[base]);
        const ValueId other = in[1 - base];
        const bool movable =
            build.literal(other) || count(build.dims(other)) == 1 || !chain_of(build, build.graph(), other).ops.empty();
        if (chain.ops.empty() || build.literal(in[base]) || !movable || build.dims(in[base]) != node.type.dims ||
            wastes_tiles_before(build, chain))
            continue;
        const auto back = apply_inverse(build, other, chain);
        if (!back) continue;
        std::vector<ValueId> operands(2, chain.source);
        operands[1 - base] = *back;
        return apply(build, build.add(node.op, operands, node.attrs), chain);
    }
    return std::nullopt;
}

/// Hoists map_axis above a reshape or transpose: updates the axis, the matrix, and the sizes of the op.
bool map_before(const Builder& build, DataMovement& movement, std::int64_t& axis, Literal& matrix) {
    const auto at = static_cast<std::size_t>(axis);
    if (!movement.reshape) {
        axis = movement.perm[at];
        return true;
    }
    const auto groups = groups_of(movement.from, movement.to);
    const auto g =
        std::find_if(groups.begin(), groups.end(), [&](const AxisGroup& x) { return at >= x.b0 && at < x.b1; });
    if (g == groups.end() || g->a1 != g->a0 + 1) return false;
    // other axes of the group stay: identity x matrix x identity
    std::int64_t before = 1, after = 1;
    for (std::size_t i = g->b0; i < at; ++i) before *= movement.to[i];
    for (std::size_t i = at + 1; i < g->b1; ++i) after *= movement.to[i];
    const std::int64_t outs = matrix.dims()[0], ins = matrix.dims()[1];
    if (ins == 1 && outs > 1 && after > 1)
        return false;  // a broadcast along slices is a free TM; as a matrix it would be a matmul
    constexpr std::int64_t most = std::int64_t{1} << 22;  // elements of the wider matrix
    if (before * outs * after > most / (before * ins * after)) return false;
    const Literal* const of[] = {&matrix};
    matrix = build.cached(
        fmt::format("on {} diagonals of {}", before, after), of,
        [&] {
            Literal wide(DType::F32, {before * outs * after, before * ins * after});
            for (std::int64_t b = 0; b < before; ++b)
                for (std::int64_t o = 0; o < outs; ++o)
                    for (std::int64_t i = 0; i < ins; ++i)
                        if (const double weight = matrix.at(o * ins + i); weight != 0 || std::signbit(weight))
                            for (std::int64_t k = 0; k < after; ++k)
                                wide.set(((b * outs + o) * after + k) * wide.dims()[1] + (b * ins + i) * after + k,
                                         weight);
            return wide;
        },
        before * outs * after * before * ins * after);
    axis = static_cast<std::int64_t>(g->a0);
    movement.to[at] = outs;
    return true;
}

/// Merges two maps of one axis. They stay separate if constant folding refuses their product as too large.
ValueId mapped(Builder& build, ValueId x, std::int64_t axis, Literal matrix) {
    const Node inner = build.graph().nodes[x];
    if (inner.op == op::map_axis && inner.get(attr::axis) == axis && build.literal(inner.inputs[1].value)) {
        const ValueId left = build.constant(matrix);
        const Literal* product = build.literal(build.add(op::matmul, {left, inner.inputs[1].value}));
        if (product) return mapped(build, inner.inputs[0].value, axis, Literal(*product));
    }
    return build.map_axis(x, axis, std::move(matrix));
}

/// Splits a reshape with trailing axes of size 1 into a reshape that has them before the preceding axis, and a
/// transpose. Then the broadcast of a mean over an image repeats rows, and channels stay the last axis. `axis`: one of
/// these axes.
std::optional<std::pair<DataMovement, DataMovement>> unit_axes_first(const DataMovement& movement, std::size_t axis) {
    const std::size_t end = movement.to.size();
    std::size_t ones = end;
    while (ones > 0 && movement.to[ones - 1] == 1) --ones;
    if (!movement.reshape || ones == 0 || axis < ones) return std::nullopt;
    DataMovement first{.reshape = true, .from = movement.from, .to = movement.to, .perm = {}};
    DataMovement then{.reshape = false, .from = {}, .to = movement.to, .perm = {}};
    std::rotate(first.to.begin() + static_cast<std::ptrdiff_t>(ones) - 1,
                first.to.begin() + static_cast<std::ptrdiff_t>(ones), first.to.end());
    then.from = first.to;
    for (std::size_t i = 0; i < end; ++i)
        then.perm.push_back(static_cast<std::int64_t>(i < ones - 1 ? i : i == ones - 1 ? end - 1 : i - 1));
    return std::pair(first, then);
}

std::optional<ValueId> sink_map(Builder& build, const Node& node, std::span<const ValueId> in) {
    Chain chain = chain_of(build, build.graph(), in[0]);
    if (chain.ops.empty() || !build.literal(in[1]) || wastes_tiles_before(build, chain)) return std::nullopt;
    std::int64_t axis = node.get(attr::axis);
    Literal matrix = *build.literal(in[1]);
    if (const auto parts = matrix.dims()[1] == 1 && matrix.dims()[0] > 1
                               ? unit_axes_first(chain.ops.back(), static_cast<std::size_t>(axis))
                               : std::nullopt) {
        const auto& [reshape, transpose] = *parts;
        chain.ops.back() = reshape;
        const std::int64_t before = transpose.perm[static_cast<std::size_t>(axis)];
        return build.transpose(mapped(build, apply(build, chain.source, chain), before, std::move(matrix)),
                               transpose.perm);
    }
    for (auto movement = chain.ops.rbegin(); movement != chain.ops.rend(); ++movement)
        if (!map_before(build, *movement, axis, matrix)) return std::nullopt;
    return apply(build, mapped(build, chain.source, axis, std::move(matrix)), chain);
}

/// Hoists a reduction of `axes` above a reshape or transpose. Finds the axes of its operand that consist of `axes`
/// only, and sets them to size 1. Returns false if `axes` are only a part of an axis.
bool reduce_before(DataMovement& movement, std::set<std::size_t>& axes) {
    std::set<std::size_t> before;
    if (!movement.reshape) {
        for (const std::size_t a : axes) before.insert(static_cast<std::size_t>(movement.perm[a]));
    } else {
        std::size_t found = 0;
        for (const AxisGroup& g : groups_of(movement.from, movement.to)) {
            std::size_t inside = 0;
            for (std::size_t a = g.b0; a < g.b1; ++a) inside += axes.contains(a) || movement.to[a] == 1 ? 1U : 0U;
            const bool any =
                std::any_of(axes.begin(), axes.end(), [&](std::size_t a) { return a >= g.b0 && a < g.b1; });
            if (!any) continue;
            if (inside != g.b1 - g.b0) return false;
            for (std::size_t a = g.b0; a < g.b1; ++a) found += axes.contains(a) ? 1U : 0U;
            for (std::size_t a = g.a0; a < g.a1; ++a) before.insert(a);
        }
        if (found != axes.size()) return false;  // a group without `axes` has axes of size 1 only
    }
    for (const std::size_t a : axes) movement.to[a] = 1;
    for (const std::size_t a : before) movement.from[a] = 1;
    axes = std::move(before);
    return true;
}

/// The axis of a reshape's operand that contains `axis`, with the size of `axis` and the sizes before and after it.
struct AxisPart {
    std::size_t axis = 0;
    std::int64_t outer = 1, size = 1, inner = 1;
};

std::optional<AxisPart> part_of_axis(const DataMovement& reshape, std::size_t axis) {
    for (const AxisGroup& g : groups_of(reshape.from, reshape.to)) {
        if (axis < g.b0 || axis >= g.b1) continue;
        if (g.a1 != g.a0 + 1) return std::nullopt;
        AxisPart part{.axis = g.a0, .outer = 1, .size = reshape.to[axis], .inner = 1};
        for (std::size_t a = g.b0; a < g.b1; ++a)
            if (a != axis) (a < axis ? part.outer : part.inner) *= reshape.to[a];
        return part;
    }
    return std::nullopt;
}

/// A matrix that selects position `k` of the part, for all positions before and after it.
Literal selection_of_part(const AxisPart& part, std::int64_t k) {
    const std::int64_t ins = part.outer * part.size * part.inner;
    Literal matrix(DType::F32, {part.outer * part.inner, ins});
    for (std::int64_t b = 0; b < part.outer; ++b)
        for (std::int64_t a = 0; a < part.inner; ++a)
            matrix.set((b * part.inner + a) * ins + (b * part.size + k) * part.inner + a, 1);
    return matrix;
}

/// For a maximum over a part of an axis that the reshape `chain.ops[at]` splits, such as the four channels of a maxout.
/// It becomes the maximum of several selections from the whole axis: split, the elements would fill more tiles.
std::optional<ValueId> max_of_parts(Builder& build, Chain chain, std::size_t at, std::size_t axis) {
    constexpr std::int64_t most_parts = 8,
                           most_elements = std::int64_t{1}
                                           << 20;  // limits for parts and for elements of a selection matrix
    DataMovement& cut = chain.ops[at];
    if (!cut.reshape || tiles_of(cut.to) <= tiles_of(cut.from)) return std::nullopt;
    const auto part = part_of_axis(cut, axis);
    if (!part || part->size > most_parts) return std::nullopt;
    const std::int64_t outs = part->outer * part->inner;
    if (outs > most_elements / (outs * part->size)) return std::nullopt;
    Chain front{chain.source, {chain.ops.begin(), chain.ops.begin() + static_cast<std::ptrdiff_t>(at)}};
    const ValueId unsplit = apply(build, front.source, front);
    std::optional<ValueId> most;
    for (std::int64_t k = 0; k < part->size; ++k) {
        const ValueId selected =
            build.map_axis(unsplit, static_cast<std::int64_t>(part->axis), selection_of_part(*part, k));
        most = most ? build.add(op::maximum, {*most, selected}) : selected;
    }
    cut.to[axis] = 1;
    chain.ops.erase(chain.ops.begin(), chain.ops.begin() + static_cast<std::ptrdiff_t>(at));
    return apply(build, *most, chain);
}

std::optional<ValueId> sink_reduce_max(Builder& build, const Node& node, ValueId x) {
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    if (build.dims(x)[axis] == 1) return x;
    Chain chain = chain_of(build, build.graph(), x);
    if (chain.ops.empty()) return std::nullopt;
    std::set<std::size_t> axes{axis};
    for (std::size_t at = chain.ops.size(); at-- > 0;)
        if (!reduce_before(chain.ops[at], axes))
            return axes.size() == 1 ? max_of_parts(build, std::move(chain), at, *axes.begin()) : std::nullopt;
    ValueId y = chain.source;
    for (const std::size_t a : axes)
        if (build.dims(y)[a] != 1) y = build.add(op::reduce_max, {y}, {attr::axis(static_cast<std::int64_t>(a))});
    return apply(build, y, chain);
}

void run_sink_data_movement(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op == op::map_axis) return sink_map(build, node, in);
        if (node.op == op::reduce_max) return sink_reduce_max(build, node, in[0]);
        const OpInfo* op = find_op(node.op);
        if (!op || !op->elementwise || (op->level != Level::Core && node.op != op::cast)) return std::nullopt;
        return in.size() == 1   ? sink_unary(build, node, in[0])
               : in.size() == 2 ? sink_binary(build, node, in)
                                : std::nullopt;
    });
}

}  // namespace

extern const Pass sink_data_movement;
const Pass sink_data_movement{.name = "sink-data-movement",
                              .summary = "sink reshapes and transposes below elementwise ops",
                              .run = run_sink_data_movement,
                              .optional = true};

}  // namespace ttsim::impl::ir
