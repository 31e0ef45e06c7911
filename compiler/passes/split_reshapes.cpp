// split-reshapes: splits reshapes with large matrices into cheaper steps.
//
//   %y = reshape %x : [r, a] -> [s, b]     ->  reshapes through widths between a and b
//
// A reshape between rows of a elements and rows of b is a product with one matrix for each alignment of a run of
// elements: about a * b * (a + b) / gcd(a, b) elements. If that is too large, rows are reshaped through intermediate
// widths:
//
//   w -> w / n    n slices of whole tiles become rows below each other: hslice, and a reordering of rows
//   w -> w * n    the inverse, by hstack
//   v -> w        any two widths, by their matrix, which is small if one of them is
//
// The pass chooses the cheapest path by elements of matrices and elements transferred. Reshapes that stay too large are
// rejected later by name, and the host may run them.
//
//   %a = reshape %x : [c, h, w] -> [c, h * w]        %a = transpose %x {perm = [1, 2, 0]}
//   %y = transpose %a {perm = [1, 0]}            ->  %y = reshape %a : [h, w, c] -> [h * w, c]
//
// Before that, the pass swaps a reshape and a transpose, in either order, if the reshape then keeps its last axis and
// needs no matrix.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "compiler/ir/pass.hpp"
#include "compiler/lower/lowering.hpp"
#include "compiler/passes/reshape_groups.hpp"

namespace ttsim::impl::ir {

namespace {

using Width = std::int64_t;

// Elements of a reshape's matrix: above the first limit the pass looks for a cheaper path, above the second no matrix
// is created.
constexpr double large_matrix = 1 << 22, largest_matrix = 1 << 26;
constexpr Width widest = 8192;  // limit for intermediate widths

double tiles_of(Width width) { return static_cast<double>((width + tile_edge - 1) / tile_edge * tile_edge); }

/// Elements of the matrix between two widths.
double matrix_of(std::int64_t elements, Width a, Width b) {
    const std::int64_t both = std::lcm(a, b), period = std::min(both, elements);
    const double runs = static_cast<double>(period / a + period / b - period / both);
    return tiles_of(a) * tiles_of(b) * runs;
}

/// The same for a reshape: 0 if rows stay unchanged, or one row becomes a column.
double matrix_of(const Dims& from, const Dims& to) {
    const std::int64_t elements = count(to);
    if (from.empty() || to.empty() || elements == 0 || from.back() == to.back()) return 0;
    if (elements == from.back() && to.back() == 1) return 0;
    return matrix_of(elements, from.back(), to.back());
}

class WidthPaths {
public:
    WidthPaths(std::int64_t elements, Width from, Width to) : elements_(elements), from_(from), to_(to) {
        for (Width w = 1; w <= std::min(widest, elements / w); ++w)
            if (elements % w == 0) widths_.insert({w, std::min(widest, elements / w)});
        std::erase_if(widths_, [&](Width w) { return elements % w != 0; });
        widths_.insert({from, to});
    }

    /// Whether rows can be sliced into parts of whole tiles.
    static bool slices(Width wide, Width narrow) {
        return wide > narrow && wide % narrow == 0 && narrow % tile_edge == 0;
    }

    double matrix(Width a, Width b) const { return matrix_of(elements_, a, b); }

    /// The cheapest path from the first width to the last; empty if there is none.
    std::vector<Width> cheapest() const {
        std::map<Width, double> cost{{from_, 0}};
        std::map<Width, Width> before;
        std::set<Width> open = widths_;
        while (!open.empty()) {
            const auto least = std::min_element(open.begin(), open.end(),
                                                [&](Width a, Width b) { return cost_of(cost, a) < cost_of(cost, b); });
            const Width at = *least;
            if (cost_of(cost, at) == never) return {};
            if (at == to_) break;
            open.erase(least);
            for (const Width next : open) {
                const double sum = cost.at(at) + step(at, next);
                if (sum >= cost_of(cost, next)) continue;
                cost[next] = sum;
                before[next] = at;
            }
        }
        std::vector<Width> path{to_};
        while (path.back() != from_) path.push_back(before.at(path.back()));
        std::reverse(path.begin(), path.end());
        return path;
    }

private:
    static constexpr double never = 1e300;
    static double cost_of(const std::map<Width, double>& cost, Width w) {
        const auto found = cost.find(w);
        return found == cost.end() ? never : found->second;
    }
    /// Elements of a tensor with rows of this width, including tile padding.
    double padded_elements(Width w) const { return static_cast<double>(elements_ / w) * tiles_of(w); }
    double step(Width a, Width b) const {
        if (slices(a, b) || slices(b, a)) return padded_elements(a) + padded_elements(b);
        constexpr double pass_weight =
            16;  // weight of a pass: a product reads and writes all elements more often than a TM
        const double numbers = matrix(a, b);
        if (numbers > largest_matrix) return never;
        return numbers + padded_elements(b) * numbers / tiles_of(b) / tiles_of(b) +
               pass_weight * (padded_elements(a) + padded_elements(b));
    }

    std::int64_t elements_;
    Width from_, to_;
    std::set<Width> widths_;
};

ValueId narrowed(Builder& build, ValueId x, Width wide, Width narrow) {
    const std::int64_t rows = build.dims(x)[0], n = wide / narrow;
    const ValueId parts = build.add(op::hslice, {build.reshape(x, {1, rows, wide})}, {attr::n(n)});
    return build.reshape(build.transpose(build.reshape(parts, {n, rows, narrow}), {1, 0, 2}), {rows * n, narrow});
}

ValueId widened(Builder& build, ValueId x, Width narrow, Width wide) {
    const std::int64_t n = wide / narrow, rows = build.dims(x)[0] / n;
    const ValueId parts = build.transpose(build.reshape(x, {rows, n, narrow}), {1, 0, 2});
    return build.reshape(build.add(op::hstack, {parts}, {attr::n(n)}), {rows, wide});
}

std::optional<ValueId> split_reshape(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (node.op != op::reshape || node.has(attr::host) || node.type.format || node.type.dims.empty())
        return std::nullopt;
    const Dims dims = build.dims(in[0]);
    if (matrix_of(dims, node.type.dims) <= large_matrix) return std::nullopt;
    const std::int64_t elements = count(dims);
    const Width from = dims.back(), to = node.type.dims.back();
    const WidthPaths paths(elements, from, to);
    const std::vector<Width> path = paths.cheapest();
    if (path.empty()) return std::nullopt;
    ValueId x = build.reshape(in[0], {elements / from, from});
    for (std::size_t k = 1; k < path.size(); ++k) {
        if (WidthPaths::slices(path[k - 1], path[k]))
            x = narrowed(build, x, path[k - 1], path[k]);
        else if (WidthPaths::slices(path[k], path[k - 1]))
            x = widened(build, x, path[k - 1], path[k]);
        else
            x = build.reshape(x, {elements / path[k], path[k]});
    }
    return build.reshape(x, node.type.dims);
}

/// Swaps a reshape and a transpose if this makes the matrix much smaller.
std::optional<ValueId> swapped(Builder& build, const Node& node, std::span<const ValueId> in) {
    if ((node.op != op::reshape && node.op != op::transpose) || node.has(attr::host)) return std::nullopt;
    const Node first = build.graph().nodes[in[0]];
    if (first.op != (node.op == op::reshape ? op::transpose : op::reshape) || first.has(attr::host))
        return std::nullopt;
    const ValueId x = first.inputs[0].value;
    const Dims source = build.dims(x);
    if (node.op == op::transpose) {
        const double matrix = matrix_of(source, first.type.dims);
        if (matrix <= large_matrix) return std::nullopt;
        const auto order = transpose_first(source, first.type.dims, node.get(attr::perm));
        if (!order) return std::nullopt;
        const ValueId y = build.transpose(x, *order);
        return 2 * matrix_of(build.dims(y), node.type.dims) <= matrix ? std::optional(build.reshape(y, node.type.dims))
                                                                      : std::nullopt;
    }
    const double matrix = matrix_of(first.type.dims, node.type.dims);
    if (matrix <= large_matrix) return std::nullopt;
    const auto other = reshape_first(source, first.get(attr::perm), node.type.dims);
    if (!other || 2 * matrix_of(source, other->dims) > matrix) return std::nullopt;
    return build.transpose(build.reshape(x, other->dims), other->perm);
}

void run_split_reshapes(Graph& graph, const PassOptions&) {
    rewrite(graph, swapped);
    rewrite(graph, split_reshape);
}

}  // namespace

extern const Pass split_reshapes;
const Pass split_reshapes{.name = "split-reshapes",
                          .summary = "split reshapes with large matrices into steps through other widths",
                          .run = run_split_reshapes};

}  // namespace ttsim::impl::ir
