// recognize-norms: recognizes normalizations in the ops that exporters write.
//
//   d = x - mean x,  d / sqrt(mean d^2 + e)                              ->  %y = layer_norm %x {axis, epsilon}
//   x / sqrt(mean x^2 + e)                                               ->  %y = rms_norm %x {axis, epsilon}
//   reshape (layer_norm (reshape %x : [n, groups, ..])) : as %x          ->  %y = group_norm %x {groups, epsilon}
//
// Means are over the last axes. The division may be a product with a reciprocal or a power, a square a product or a
// power. Between the reshapes of a group_norm a factor and a shift for each group are allowed.
#include <algorithm>
#include <numeric>

#include "compiler/ir/pass.hpp"
#include "compiler/passes/match.hpp"

namespace ttsim::impl::ir {

namespace {

/// The first of the axes if they are the last axes of x.
std::optional<std::int64_t> last_axes(const Builder& build, const Match::Sum& mean) {
    const auto rank = static_cast<std::int64_t>(build.dims(mean.x).size());
    const Dims dims = build.dims(mean.x);
    // axes of size 1 have no sum op
    std::int64_t first = rank;
    std::size_t found = 0;
    for (; first > 0 && found < mean.axes.size(); --first) {
        if (std::find(mean.axes.begin(), mean.axes.end(), first - 1) != mean.axes.end())
            ++found;
        else if (dims[static_cast<std::size_t>(first - 1)] != 1)
            return std::nullopt;
    }
    return first;
}

class Norms {
public:
    explicit Norms(Builder& build) : build_(build), match_(build) {}

    /// `top` / root, where the root is the square root of a mean of squares.
    std::optional<ValueId> norm(ValueId top, ValueId under_root) {
        const auto safe = match_.plus_number(under_root);
        if (!safe || safe->second < 0) return std::nullopt;
        const auto variance = match_.mean(safe->first);
        if (!variance) return std::nullopt;
        const auto square = match_.square_operand(variance->x);
        const auto axis = last_axes(build_, *variance);
        if (!square || !axis) return std::nullopt;
        const Attrs attrs{attr::axis(*axis), attr::epsilon(safe->second)};
        if (const auto x = centred(top, variance->axes); x && (*square == top || centred(*square, variance->axes) == x))
            return composite(op::layer_norm, *x, attrs);
        return *square == top ? std::optional(composite(op::rms_norm, top, attrs)) : std::nullopt;
    }

    std::optional<ValueId> of_quotient(ValueId top, ValueId bottom) {
        const auto root = match_.sqrt_operand(bottom);
        return root ? norm(top, *root) : std::nullopt;
    }
    std::optional<ValueId> of_product(ValueId a, ValueId b) {
        for (const auto& [top, factor] : {std::pair{a, b}, std::pair{b, a}})
            if (const auto root = match_.rsqrt_operand(factor))
                if (const auto found = norm(top, *root)) return found;
        return std::nullopt;
    }

    /// For a node that is a reshape of `y`.
    std::optional<ValueId> group_norm(ValueId y, const Dims& dims) {
        std::vector<std::pair<OpId, ValueId>> affine;  // from the last to the first
        for (; match_.is(y, op::add) || match_.is(y, op::multiply);) {
            const std::size_t k = build_.literal(match_.operand(y, 0)) ? 0 : 1;
            affine.emplace_back(match_.node(y).op, match_.operand(y, k));
            y = match_.operand(y, 1 - k);
        }
        if (!match_.is(y, op::layer_norm)) return std::nullopt;
        const ValueId cut = match_.operand(y, 0);
        const Dims parts = build_.dims(cut);
        if (!match_.is(cut, op::reshape) || match_.node(y).get(attr::axis) != 2 || dims.size() < 3 ||
            parts.size() < 3 || parts[0] != dims[0] || dims[1] % parts[1] != 0)
            return std::nullopt;
        const ValueId x = match_.operand(cut, 0);
        if (build_.dims(x) != dims) return std::nullopt;
        std::vector<std::pair<OpId, ValueId>> spread;
        for (const auto& [op, value] : affine) {
            const auto expanded = per_channel(value, parts, dims);
            if (!expanded) return std::nullopt;
            spread.emplace_back(op, *expanded);
        }
        ValueId made =
            build_.add(op::group_norm, {x}, {attr::groups(parts[1]), attr::epsilon(match_.node(y).get(attr::epsilon))});
        for (auto step = spread.rbegin(); step != spread.rend(); ++step) {
            const auto number = match_.number(step->second);
            if (number == (step->first == op::add ? 0.0 : 1.0)) continue;
            made = build_.add(step->first, {made, step->second});
        }
        return made;
    }

private:
    /// Adds a composite op, which is not part of the quotient it replaces.
    ValueId composite(OpId op, ValueId x, const Attrs& attrs) {
        build_.set_kind(op.text());
        return build_.add(op, {x}, attrs);
    }

    /// x of x - mean x.
    std::optional<ValueId> centred(ValueId d, const std::vector<std::int64_t>& axes) const {
        if (!match_.is(d, op::subtract)) return std::nullopt;
        const auto mean = match_.mean(match_.operand(d, 1));
        if (!mean || mean->x != match_.operand(d, 0) || mean->axes != axes) return std::nullopt;
        return mean->x;
    }

    /// Expands a constant for each group to one for each channel; splats stay scalars.
    std::optional<ValueId> per_channel(ValueId value, const Dims& parts, const Dims& dims) {
        const Literal* literal = build_.literal(value);
        if (!literal) return std::nullopt;
        if (literal->is_splat()) return build_.scalar(literal->at(0), literal->dtype());
        Dims own(parts.size() - std::min(parts.size(), literal->dims().size()), 1);
        own.insert(own.end(), literal->dims().begin(), literal->dims().end());
        if (own.size() != parts.size() || own[1] != parts[1] || count(own) != parts[1]) return std::nullopt;
        Dims all(dims.size() - 1, 1);
        all[0] = dims[1];
        Literal spread(literal->dtype(), all);
        for (std::int64_t c = 0; c < dims[1]; ++c) spread.set(c, literal->at(c / (dims[1] / parts[1])));
        return build_.constant(std::move(spread));
    }

    Builder& build_;
    Match match_;
};

void run_recognize_norms(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        std::optional<ValueId> found;
        if (node.op == op::divide) found = Norms(build).of_quotient(in[0], in[1]);
        if (node.op == op::multiply) found = Norms(build).of_product(in[0], in[1]);
        if (node.op == op::reshape) found = Norms(build).group_norm(in[0], node.type.dims);
        if (!found || build.dims(*found) != node.type.dims) return std::nullopt;
        return found;
    });
}

}  // namespace

extern const Pass recognize_norms;
const Pass recognize_norms{.name = "recognize-norms",
                           .summary = "recognize layer, group and root mean square norms in sums and roots",
                           .run = run_recognize_norms,
                           .optional = true};

}  // namespace ttsim::impl::ir
