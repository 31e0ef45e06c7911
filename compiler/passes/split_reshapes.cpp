// split-reshapes
//
//   %y = reshape %x : [r, a] -> [s, b]     ->  reshapes through widths between a and b
//
// A reshape between rows of a elements and rows of b is a product with one matrix for each way in which a run of
// elements may move: a * b * (a + b) / gcd(a, b) numbers, or so. Where that would be a giant, rows go through other
// widths:
//
//   w -> w / n    n whole tiles beside each other become rows below each other: hslice, and rows in another order
//   w * n <- w    the other way round, by hstack
//   v -> w        any two, by their matrix, which is small where one of them is
//
// The cheapest way there is taken, by the numbers of the matrices and the elements that are carried. What is left too
// large is refused later, by name, and the host may do it.
//
//   %a = reshape %x : [c, h, w] -> [c, h * w]        %a = transpose %x {perm = [1, 2, 0]}
//   %y = transpose %a {perm = [1, 0]}            ->  %y = reshape %a : [h, w, c] -> [h * w, c]
//
// Before that, and the other way round: a reshape that keeps its last axis on the other side of a transpose needs no
// matrix.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "compiler/ir/pass.hpp"
#include "compiler/lower/lowering.hpp"
#include "compiler/passes/move_groups.hpp"

namespace ttsim::impl::ir {

namespace {

using Width = std::int64_t;

// In numbers of a reshape's matrix: a larger one is taken apart where there is a cheaper way, and one that is larger
// still is not made.
constexpr double large_matrix = 1 << 22, largest_matrix = 1 << 26;
constexpr Width widest = 8192;  // between the two ends

double tiles_of(Width width) { return static_cast<double>((width + 31) / 32 * 32); }

/// Numbers of the matrix between two widths.
double matrix_of(std::int64_t elements, Width a, Width b) {
    const std::int64_t both = std::lcm(a, b), period = std::min(both, elements);
    const double runs = static_cast<double>(period / a + period / b - period / both);
    return tiles_of(a) * tiles_of(b) * runs;
}

/// Of a reshape: 0 where rows stay as they are, or one row becomes a column.
double matrix_of(const Dims& from, const Dims& to) {
    const std::int64_t elements = count(to);
    if (from.empty() || to.empty() || elements == 0 || from.back() == to.back()) return 0;
    if (elements == from.back() && to.back() == 1) return 0;
    return matrix_of(elements, from.back(), to.back());
}

class Ways {
public:
    Ways(std::int64_t elements, Width from, Width to) : elements_(elements), from_(from), to_(to) {
        for (Width w = 1; w <= std::min(widest, elements / w); ++w)
            if (elements % w == 0) widths_.insert({w, std::min(widest, elements / w)});
        std::erase_if(widths_, [&](Width w) { return elements % w != 0; });
        widths_.insert({from, to});
    }

    /// Whether rows can be cut into whole tiles beside each other.
    static bool slices(Width wide, Width narrow) { return wide > narrow && wide % narrow == 0 && narrow % 32 == 0; }

    double matrix(Width a, Width b) const { return matrix_of(elements_, a, b); }

    /// From the first width to the last; empty where there is none.
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
        std::vector<Width> way{to_};
        while (way.back() != from_) way.push_back(before.at(way.back()));
        std::reverse(way.begin(), way.end());
        return way;
    }

private:
    static constexpr double never = 1e300;
    static double cost_of(const std::map<Width, double>& cost, Width w) {
        const auto found = cost.find(w);
        return found == cost.end() ? never : found->second;
    }
    /// Elements that a tensor of such rows has, with what fills its tiles.
    double carried(Width w) const { return static_cast<double>(elements_ / w) * tiles_of(w); }
    double step(Width a, Width b) const {
        if (slices(a, b) || slices(b, a)) return carried(a) + carried(b);
        constexpr double pass = 16;  // a product passes all elements more often than a TM
        const double numbers = matrix(a, b);
        if (numbers > largest_matrix) return never;
        return numbers + carried(b) * numbers / tiles_of(b) / tiles_of(b) + pass * (carried(a) + carried(b));
    }

    std::int64_t elements_;
    Width from_, to_;
    std::set<Width> widths_;
};

ValueId narrowed(Builder& build, ValueId x, Width wide, Width narrow) {
    const std::int64_t rows = build.dims(x)[0], n = wide / narrow;
    const ValueId parts = build.add("hslice", {build.reshape(x, {1, rows, wide})}, {{"n", n}});
    return build.reshape(build.transpose(build.reshape(parts, {n, rows, narrow}), {1, 0, 2}), {rows * n, narrow});
}

ValueId widened(Builder& build, ValueId x, Width narrow, Width wide) {
    const std::int64_t n = wide / narrow, rows = build.dims(x)[0] / n;
    const ValueId parts = build.transpose(build.reshape(x, {rows, n, narrow}), {1, 0, 2});
    return build.reshape(build.add("hstack", {parts}, {{"n", n}}), {rows, wide});
}

std::optional<ValueId> taken_apart(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (node.op != "reshape" || node.has("host") || node.type.format || node.type.dims.empty()) return std::nullopt;
    const Dims dims = build.dims(in[0]);
    if (matrix_of(dims, node.type.dims) <= large_matrix) return std::nullopt;
    const std::int64_t elements = count(dims);
    const Width from = dims.back(), to = node.type.dims.back();
    const Ways ways(elements, from, to);
    const std::vector<Width> way = ways.cheapest();
    if (way.empty()) return std::nullopt;
    ValueId x = build.reshape(in[0], {elements / from, from});
    for (std::size_t k = 1; k < way.size(); ++k) {
        if (Ways::slices(way[k - 1], way[k]))
            x = narrowed(build, x, way[k - 1], way[k]);
        else if (Ways::slices(way[k], way[k - 1]))
            x = widened(build, x, way[k - 1], way[k]);
        else
            x = build.reshape(x, {elements / way[k], way[k]});
    }
    return build.reshape(x, node.type.dims);
}

/// A reshape and a transpose, one behind the other, the other way round where that makes do with a much smaller matrix.
std::optional<ValueId> swapped(Builder& build, const Node& node, std::span<const ValueId> in) {
    if ((node.op != "reshape" && node.op != "transpose") || node.has("host")) return std::nullopt;
    const Node first = build.graph().nodes[in[0]];
    if (first.op != (node.op == "reshape" ? "transpose" : "reshape") || first.has("host")) return std::nullopt;
    const ValueId x = first.inputs[0].value;
    const Dims source = build.dims(x);
    if (node.op == "transpose") {
        const double matrix = matrix_of(source, first.type.dims);
        if (matrix <= large_matrix) return std::nullopt;
        const auto order = transpose_first(source, first.type.dims, node.list("perm"));
        if (!order) return std::nullopt;
        const ValueId y = build.transpose(x, *order);
        return 2 * matrix_of(build.dims(y), node.type.dims) <= matrix ? std::optional(build.reshape(y, node.type.dims))
                                                                      : std::nullopt;
    }
    const double matrix = matrix_of(first.type.dims, node.type.dims);
    if (matrix <= large_matrix) return std::nullopt;
    const auto other = reshape_first(source, first.list("perm"), node.type.dims);
    if (!other || 2 * matrix_of(source, other->dims) > matrix) return std::nullopt;
    return build.transpose(build.reshape(x, other->dims), other->perm);
}

void run_split_reshapes(Graph& graph, const PassOptions&) {
    rewrite(graph, swapped);
    rewrite(graph, taken_apart);
}

}  // namespace

extern const Pass split_reshapes;
const Pass split_reshapes{.name = "split-reshapes",
                          .summary = "reshapes with giant matrices go through other widths",
                          .run = run_split_reshapes};

}  // namespace ttsim::impl::ir
