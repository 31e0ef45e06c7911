// cut-slices: cuts rows into slices that are not whole tiles, and joins them, by products with constant matrices.
//
//   %a = reshape %x : [.., r, n * c] -> [.., r, n, c]
//   %y = transpose %a, n before r                        ->  %y = matmul %x, %cut     %cut: [n, n * c, c]
//
//   %a = transpose %x : [.., n, r, c] -> [.., r, n, c]   ->  %y = map_axis (hstack (matmul %x, %widen)), %join
//   %y = reshape %a : -> [.., r, n * c]                      %widen: [c, whole tiles]
//
// Without it, [.., r, n, c] would need tiles of its own for each row: the last two axes are rows and columns of tiles.
// %cut has the columns of each slice; %join drops the columns of zeros that %widen adds. fuse-slice-stack does the same
// for slices of whole tiles, by TMs. The rest of the transpose stays, before or after. The last axis may also be split
// into more than two, as in a pixel shuffle; c is then the one that becomes the last.
//
//   %a = transpose %x : [n, h, w, c] -> [h, w, n, c]     ->  %y = gather_rows %x, rows in the order of %y
//   %y = reshape %a : -> [h, w * n, c]
//
// For the same reason rows are reordered at once, where a step between would need more than twice the tiles.
#include <algorithm>
#include <functional>

#include "compiler/ir/pass.hpp"
#include "compiler/ir/transposed_rows.hpp"
#include "compiler/lower/lowering.hpp"

namespace ttsim::impl::ir {

namespace {

using Perm = std::vector<std::int64_t>;

constexpr std::int64_t widest = 4096;  // columns of all slices: a matrix has up to their square of elements

constexpr std::int64_t most_rows = 1 << 22;  // that are reordered at once

/// Slices of rows, with the number of rows of each.
struct Slices {
    std::int64_t n, rows, columns;
    std::int64_t whole_columns() const { return (columns + tile_edge - 1) / tile_edge * tile_edge; }
    bool narrow() const { return n > 1 && n * columns <= widest; }
    bool whole_tiles() const { return columns % tile_edge == 0; }
    /// [columns, whole_columns()]: the columns and zeros.
    Literal widen(DType dtype) const {
        const std::int64_t whole = whole_columns();
        return ones(dtype, {columns, whole}, [=](std::int64_t, std::int64_t c) { return c * whole + c; });
    }
    /// [n * columns, n * whole_columns()]: the columns without the zeros between the slices.
    Literal join(DType dtype) const {
        const std::int64_t whole = whole_columns();
        return ones(dtype, {n * columns, n * whole}, [=, *this](std::int64_t k, std::int64_t c) {
            return (k * columns + c) * n * whole + k * whole + c;
        });
    }
    /// Zeros with a one at at(k, c) for each slice k and column c. Computed when it is read: each op has its own.
    Literal ones(DType dtype, Dims dims, const std::function<std::int64_t(std::int64_t, std::int64_t)>& at) const {
        return Literal::computed_on_read(dtype, dims, [*this, at, size = count(dims)] {
            std::vector<float> elements(static_cast<std::size_t>(size));
            for (std::int64_t k = 0; k < n; ++k)
                for (std::int64_t c = 0; c < columns; ++c) elements[static_cast<std::size_t>(at(k, c))] = 1;
            return elements;
        });
    }
};

double tiles_of(const Dims& dims) {
    const Form form = form_of(dims);
    return static_cast<double>(form.z) * static_cast<double>(form.rt() * form.ct());
}

/// The part of the last axes of `split` that one axis was split into.
struct Split {
    std::vector<std::size_t> slices;  ///< axes
    std::size_t columns;              ///< the axis that becomes the last one, or else the last one
};

/// nullopt: the last axis of `source` was not split, or its parts stay where they are.
std::optional<Split> split_of(const Dims& source, const Dims& split, const Perm& perm) {
    std::size_t first = split.size();
    for (std::int64_t size = 1; size != source.back(); size *= split[--first])
        if (first == 0 || size > source.back()) return std::nullopt;
    const auto last = static_cast<std::size_t>(perm.back());
    Split found{{}, last >= first && first < split.size() ? last : split.size() - 1};
    bool moved = false;
    for (std::size_t axis = first; axis < split.size(); ++axis) {
        moved = moved || perm[axis] != static_cast<std::int64_t>(axis);
        if (axis != found.columns) found.slices.push_back(axis);
    }
    return moved && !found.slices.empty() ? std::optional(found) : std::nullopt;
}

/// [n, n * columns, columns]: the columns of each slice.
Literal cut_matrix(DType dtype, const Dims& split, const Split& parts, const Slices& slices) {
    const Dims steps = strides(split);
    std::vector<std::int64_t> begin{0};  // of each slice: its first column
    for (const std::size_t axis : parts.slices) {
        std::vector<std::int64_t> next;
        for (const std::int64_t at : begin)
            for (std::int64_t i = 0; i < split[axis]; ++i) next.push_back(at + i * steps[axis]);
        begin = std::move(next);
    }
    return slices.ones(dtype, {slices.n, slices.n * slices.columns, slices.columns},
                       [begin, slices, step = steps[parts.columns]](std::int64_t k, std::int64_t c) {
                           const std::int64_t column = begin[static_cast<std::size_t>(k)] + c * step;
                           return (k * slices.n * slices.columns + column) * slices.columns + c;
                       });
}

/// Slices that are not whole tiles, cut out by products.
std::optional<ValueId> cut(Builder& build, const Node& node, ValueId x) {
    const Node inner = build.graph().nodes[x];
    const Dims split = inner.type.dims;
    if (inner.op != op::reshape || inner.has(attr::host) || split.size() < 3 || !is_float(inner.type.dtype) ||
        count(split) == 0 || build.dims(inner.inputs[0].value).empty())
        return std::nullopt;
    const Perm perm = node.get(attr::perm);
    const auto parts = split_of(build.dims(inner.inputs[0].value), split, perm);
    if (!parts) return std::nullopt;
    const std::int64_t columns = split[parts->columns], width = build.dims(inner.inputs[0].value).back();
    const Slices slices{width / columns, count(split) / width, columns};
    if (!slices.narrow() || (slices.whole_tiles() && parts->columns + 1 == split.size()) ||
        tiles_of({slices.n, slices.rows, columns}) >= tiles_of(split))
        return std::nullopt;
    const ValueId rows = build.reshape(inner.inputs[0].value, {1, slices.rows, width});
    const ValueId all =
        build.add(op::matmul, {rows, build.constant(cut_matrix(inner.type.dtype, split, *parts, slices))});
    Perm axes;  // of the product's result
    for (const std::size_t axis : parts->slices) axes.push_back(static_cast<std::int64_t>(axis));
    for (std::size_t axis = 0; axis < split.size() - parts->slices.size() - 1; ++axis)
        axes.push_back(static_cast<std::int64_t>(axis));
    axes.push_back(static_cast<std::int64_t>(parts->columns));
    Dims dims;
    for (const std::int64_t axis : axes) dims.push_back(split[static_cast<std::size_t>(axis)]);
    Perm then;
    for (const std::int64_t axis : perm) then.push_back(std::find(axes.begin(), axes.end(), axis) - axes.begin());
    const ValueId divided = build.reshape(all, dims);
    return keeps_order(dims, then) ? build.reshape(divided, node.type.dims) : build.transpose(divided, then);
}

/// Axes of `split` after its second to last one, of slices, has become the first one.
Perm slices_first(std::size_t rank) {
    Perm axes{static_cast<std::int64_t>(rank) - 2};
    for (std::size_t a = 0; a < rank; ++a)
        if (a + 2 != rank) axes.push_back(static_cast<std::int64_t>(a));
    return axes;
}

/// The inverse of cut().
std::optional<ValueId> join(Builder& build, const Node& node, ValueId x) {
    const Node inner = build.graph().nodes[x];
    const std::size_t rank = inner.type.dims.size();
    if (inner.op != op::transpose || inner.has(attr::host) || rank < 3 || node.type.dims.empty() ||
        !is_float(inner.type.dtype))
        return std::nullopt;
    const Dims split = inner.type.dims;
    const std::int64_t n = split[rank - 2], columns = split.back();
    if (count(split) == 0 || node.type.dims.back() != n * columns) return std::nullopt;
    const Slices odd{n, count(split) / (n * columns), columns};
    const Perm perm = inner.get(attr::perm);
    if (!odd.narrow() || odd.whole_tiles() || perm[rank - 2] + 2 == static_cast<std::int64_t>(rank) ||
        tiles_of({n, odd.rows, columns}) >= tiles_of(split))
        return std::nullopt;
    const std::int64_t whole = odd.whole_columns();
    Perm first;
    for (const std::int64_t axis : slices_first(rank)) first.push_back(perm[static_cast<std::size_t>(axis)]);
    const ValueId source = inner.inputs[0].value;
    const ValueId ordered = keeps_order(build.dims(source), first) ? source : build.transpose(source, first);
    const ValueId slices = build.reshape(ordered, {odd.n, odd.rows, odd.columns});
    const ValueId wide = build.add(op::matmul, {slices, build.constant(odd.widen(inner.type.dtype))});
    const ValueId stacked = build.add(op::hstack, {wide}, {attr::n(odd.n)});
    const ValueId rows = build.reshape(stacked, {odd.rows, odd.n * whole});
    return build.reshape(build.map_axis(rows, 1, odd.join(inner.type.dtype)), node.type.dims);
}

/// Rows that are reordered through a step with more than twice the tiles.
std::optional<ValueId> reordered(Builder& build, const Node& node, ValueId x) {
    const Node inner = build.graph().nodes[x];
    if (inner.op != op::transpose || inner.has(attr::host) || node.type.dims.empty()) return std::nullopt;
    const ValueId source = inner.inputs[0].value;
    const Dims dims = build.dims(source);
    const Perm perm = inner.get(attr::perm);
    const std::size_t rank = dims.size();
    if (count(dims) == 0 || perm.back() + 1 != static_cast<std::int64_t>(rank) ||
        node.type.dims.back() != dims.back() || tiles_of(inner.type.dims) <= 2 * tiles_of(node.type.dims))
        return std::nullopt;
    const std::int64_t columns = dims.back(), rows = count(dims) / columns;
    if (rows > most_rows) return std::nullopt;
    const ValueId all = build.reshape(source, {1, rows, columns});
    const ValueId map = build.constant(Literal::of_gather_map({1, rows}, transposed_rows(dims, perm)));
    return build.reshape(build.add(op::gather_rows, {all, map}), node.type.dims);
}

/// A reshape of reshapes, as of cut(), as one.
std::optional<ValueId> merged(Builder& build, const Node& node, ValueId x) {
    ValueId source = x;
    while (build.graph().nodes[source].op == op::reshape && !build.graph().nodes[source].has(attr::host))
        source = build.graph().nodes[source].inputs[0].value;
    return source == x ? std::nullopt : std::optional(build.reshape(source, node.type.dims));
}

void run_cut_slices(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.has(attr::host)) return std::nullopt;
        if (node.op == op::transpose) return cut(build, node, in[0]);
        if (node.op != op::reshape) return std::nullopt;
        for (const auto& rule : {join, reordered, merged})
            if (auto replaced = rule(build, node, in[0])) return replaced;
        return std::nullopt;
    });
}

}  // namespace

extern const Pass cut_slices;
const Pass cut_slices{.name = "cut-slices",
                      .summary = "slices and stacks of columns that are not whole tiles as products",
                      .run = run_cut_slices,
                      .optional = true};

}  // namespace ttsim::impl::ir
