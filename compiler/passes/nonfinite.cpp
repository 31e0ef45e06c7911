#include "compiler/passes/nonfinite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "compiler/passes/signs.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Masks = Nonfinite::Masks;

Masks swapped(const Masks& a) { return {a.nan, a.negative_infinity, a.positive_infinity}; }

}  // namespace

// --- booleans -----------------------------------------------------------------------------------------------------

/// Indexes nodes added to the graph since the last call.
void Nonfinite::index_nodes() {
    const Graph& graph = b_.graph();
    for (; indexed_ < graph.nodes.size(); ++indexed_) {
        const Node& at = node(indexed_);
        if (at.inputs.empty() || (at.type.dtype != DType::Bool && at.op != op::cast && at.op != op::reduce_max))
            continue;
        std::vector<ValueId> in;
        for (const Edge& edge : at.inputs) in.push_back(edge.value);
        by_expression_.try_emplace(key(at.op, in, at.attrs), indexed_);
    }
}

/// A key that is equal for the same op on the same values; scalar constants are compared by value.
std::string Nonfinite::key(OpId op, const std::vector<ValueId>& in, const Attrs& attrs) const {
    std::string key = op.text();
    for (const ValueId id : in) {
        const Literal* literal = b_.literal(id);
        const bool number = literal && literal->size() == 1;
        key += number ? fmt::format(" {} {}", to_string(b_.type(id)), literal->at(0)) : fmt::format(" %{}", id);
    }
    for (const auto& [name, value] : attrs) key += fmt::format(" {}={}", name, to_string(value));
    return key;
}

ValueId Nonfinite::reused_or_added(OpId op, const std::vector<ValueId>& in, Attrs attrs) {
    index_nodes();
    const auto found = by_expression_.find(key(op, in, attrs));
    return found != by_expression_.end() ? found->second : b_.add(op, in, std::move(attrs));
}

/// None for a constant that is false everywhere; one that is true everywhere becomes a scalar.
std::optional<ValueId> Nonfinite::simplified(ValueId a) {
    const Literal* literal = b_.literal(a);
    if (!literal || !literal->is_splat()) return a;
    return literal->at(0) == 0 ? std::nullopt : std::optional(true_constant());
}

ValueId Nonfinite::true_constant() {
    if (!true_constant_) true_constant_ = b_.scalar(1, DType::Bool);
    return *true_constant_;
}

std::optional<ValueId> Nonfinite::logical_or(Maybe a, Maybe b) {
    if (!a || !b) return a ? a : b;
    if (a == true_constant_ || b == true_constant_) return true_constant_;
    return *a == *b ? a : simplified(reused_or_added(op::or_, {std::min(*a, *b), std::max(*a, *b)}));
}

std::optional<ValueId> Nonfinite::logical_and(Maybe a, Maybe b) {
    if (!a || !b || are_opposite(*a, *b)) return std::nullopt;
    if (a == true_constant_ || b == true_constant_) return a == true_constant_ ? b : a;
    return *a == *b ? a : simplified(reused_or_added(op::and_, {std::min(*a, *b), std::max(*a, *b)}));
}

ValueId Nonfinite::logical_not(ValueId a) {
    return node(a).op == op::not_ ? operand(a, 0) : reused_or_added(op::not_, {a});
}

bool Nonfinite::are_opposite(ValueId a, ValueId b) const {
    const auto is_not = [&](ValueId x, ValueId y) { return node(x).op == op::not_ && operand(x, 0) == y; };
    return is_not(a, b) || is_not(b, a);
}

std::optional<ValueId> Nonfinite::without(ValueId condition, Maybe a) {
    if (!a || *a == condition) return std::nullopt;
    return logical_and(simplified(logical_not(condition)), a);
}

/// Whether any element along an axis is true; the axis is kept with size 1.
std::optional<ValueId> Nonfinite::any_along(Maybe a, std::int64_t from_end) {
    if (!a) return a;
    const Dims dims = b_.dims(*a);
    const std::int64_t axis = static_cast<std::int64_t>(dims.size()) - from_end;
    if (axis < 0 || dims[static_cast<std::size_t>(axis)] == 1) return a;
    const ValueId number = reused_or_added(op::cast, {*a}, {attr::to(std::string(to_string(DType::F32)))});
    const ValueId most = reused_or_added(op::reduce_max, {number}, {attr::axis(axis)});
    return simplified(reused_or_added(op::greater, {most, b_.scalar(0.5)}));
}

/// Whether all elements along an axis are true. `full_dims`: the dims that `a` is broadcast to.
std::optional<ValueId> Nonfinite::all_along(Maybe a, std::int64_t from_end, const Dims& full_dims) {
    if (!a) return a;
    const std::int64_t axis = static_cast<std::int64_t>(full_dims.size()) - from_end;
    if (full_dims[static_cast<std::size_t>(axis)] == 0) return std::nullopt;
    const Maybe other = any_along(simplified(logical_not(*a)), from_end);
    return other ? simplified(logical_not(*other)) : std::optional(true_constant());
}

ValueId Nonfinite::compared(OpId op, ValueId x, double with) {
    return reused_or_added(op, {x, b_.scalar(with, b_.type(x).dtype)});
}

// --- values -------------------------------------------------------------------------------------------------------

const Masks& Nonfinite::of(ValueId id) {
    // Computes operands first. It is iterative, since models are thousands of ops deep.
    std::vector<ValueId> open{id};
    std::set<ValueId> pending;
    while (!open.empty()) {
        const ValueId next = open.back();
        open.pop_back();
        if (found_.contains(next) || !pending.insert(next).second) continue;
        for (const ValueId from : sources(next)) open.push_back(from);
    }
    for (const ValueId next : pending) {
        Masks found = compute(next);
        found_[next] = found;
    }
    return found_[id];
}

/// The operands that compute() reads. Weights are left out, since they are large.
std::vector<ValueId> Nonfinite::sources(ValueId id) const {
    static const std::set<OpId> of_first{op::matmul, op::map_axis, op::take};
    static const std::set<OpId> of_all{op::reshape,    op::transpose, op::hslice,     op::hstack,
                                       op::reduce_max, op::softmax,   op::log_softmax};
    const Node& at = node(id);
    const OpInfo* op = find_op(at.op);
    std::vector<ValueId> found;
    if (of_first.contains(at.op) && !b_.literal(operand(id, 0))) return {operand(id, 0)};
    if (at.type.format || !is_float(at.type.dtype) || !op || !(op->elementwise || of_all.contains(at.op))) return found;
    for (const Edge& edge : at.inputs) found.push_back(edge.value);
    return found;
}

Masks Nonfinite::compute(ValueId id) {
    static const std::set<OpId> moves{op::reshape, op::transpose, op::hslice, op::hstack, op::take, op::nop};
    const Node at = node(id);
    if (!is_float(at.type.dtype) || at.type.format || at.has(attr::host)) return {};
    if (at.is_constant()) return of_constant(*at.literal);
    if (at.is_input()) return of_input(id);
    const OpInfo* op = find_op(at.op);
    if (op && op->level == Level::Host) return of_input(id);
    const auto in = [&](std::size_t k) { return found_[at.inputs[k].value]; };
    bool finite = true;
    for (const Edge& edge : at.inputs) finite = finite && found_[edge.value].is_finite();
    if (finite && from_ == NonfiniteFrom::Constants) return {};
    if (moves.contains(at.op)) return moved(id);
    if (at.op == op::cast) return in(0);
    if (at.op == op::map_axis) return mapped(id);
    if (at.op == op::where) return chosen(id);
    if (at.op == op::add) return sum(in(0), in(1));
    if (at.op == op::subtract) return sum(in(0), swapped(in(1)));
    if (at.op == op::multiply) return product(in(0), in(1), at.inputs[0].value, at.inputs[1].value);
    if (at.op == op::divide) return quotient(id);
    if (at.op == op::maximum || at.op == op::minimum) return extreme(in(0), in(1), at.op == op::maximum);
    if (at.op == op::softmax || at.op == op::log_softmax) return softmax(id);
    if (at.op == op::matmul) return matmul(id);
    if (at.op == op::reduce_max) {
        const std::int64_t from_end = std::ssize(at.type.dims) - at.get(attr::axis);
        const Dims full_dims = b_.dims(at.inputs[0].value);
        return {any_along(in(0).nan, from_end), any_along(in(0).positive_infinity, from_end),
                all_along(in(0).negative_infinity, from_end, full_dims)};
    }
    return function(id);
}

Masks Nonfinite::of_constant(const Literal& literal) {
    const auto is_nan = [](float v) { return std::isnan(v); };
    const auto is_up = [](float v) { return std::isinf(v) && v > 0; };
    const auto is_down = [](float v) { return std::isinf(v) && v < 0; };
    return literal.with_floats([&](const std::vector<float>& floats) {
        const auto where = [&](auto is) -> Maybe {
            if (std::none_of(floats.begin(), floats.end(), is)) return std::nullopt;
            Literal mask(DType::Bool, literal.dims());
            for (std::size_t k = 0; k < floats.size(); ++k) mask.integer_elements()[k] = is(floats[k]) ? 1 : 0;
            return simplified(b_.constant(std::move(mask)));
        };
        return Masks{where(is_nan), where(is_up), where(is_down)};
    });
}

Masks Nonfinite::of_input(ValueId id) {
    if (from_ == NonfiniteFrom::Constants) return {};
    const ValueId same = reused_or_added(op::equal, {id, id});
    return {logical_not(same), compared(op::equal, id, infinity), compared(op::equal, id, -infinity)};
}

/// Applies the data movement op to the bool values.
Masks Nonfinite::moved(ValueId id) {
    const Node at = node(id);
    const Dims full_dims = b_.dims(at.inputs[0].value);
    const auto with = [&](Maybe a) -> Maybe {
        if (!a || a == true_constant_) return a;
        std::vector<ValueId> in{b_.broadcast_to(*a, full_dims)};
        for (std::size_t k = 1; k < at.inputs.size(); ++k) in.push_back(at.inputs[k].value);
        return simplified(b_.add(at.op, in, at.attrs));
    };
    const Masks from = found_[at.inputs[0].value];
    return {with(from.nan), with(from.positive_infinity), with(from.negative_infinity)};
}

/// Weighted sums: a weight keeps or flips the sign of an infinity; opposite infinities give NaN.
Masks Nonfinite::mapped(ValueId id) {
    const Node at = node(id);
    const Masks from = found_[at.inputs[0].value];
    const Literal* matrix = b_.literal(at.inputs[1].value);
    if (!matrix || from.is_finite()) return {};
    const Dims full_dims = b_.dims(at.inputs[0].value);
    const auto met = [&](Maybe a, auto has) -> Maybe {
        if (!a) return a;
        Literal weights(DType::F32, matrix->dims());
        bool some = false;
        for (std::int64_t k = 0; k < weights.size(); ++k) {
            weights.set(k, has(matrix->at(k)) ? 1 : 0);
            some = some || has(matrix->at(k));
        }
        if (!some) return std::nullopt;
        const ValueId hits =
            b_.map_axis(b_.cast(b_.broadcast_to(*a, full_dims), DType::F32), at.get(attr::axis), std::move(weights));
        return simplified(b_.add(op::greater, {hits, b_.scalar(0.5)}));
    };
    const auto above = [](double v) { return v > 0; };
    const auto below = [](double v) { return v < 0; };
    Masks out{met(from.nan, [](double v) { return v != 0; }),
              logical_or(met(from.positive_infinity, above), met(from.negative_infinity, below)),
              logical_or(met(from.negative_infinity, above), met(from.positive_infinity, below))};
    out.nan = logical_or(out.nan, logical_and(out.positive_infinity, out.negative_infinity));
    return out;
}

Masks Nonfinite::chosen(ValueId id) {
    const ValueId condition = operand(id, 0);
    const Masks a = found_[operand(id, 1)], b = found_[operand(id, 2)];
    const auto choice = [&](Maybe yes, Maybe no) {
        return logical_or(yes && *yes == condition ? yes : logical_and(simplified(condition), yes),
                          without(condition, no));
    };
    return {choice(a.nan, b.nan), choice(a.positive_infinity, b.positive_infinity),
            choice(a.negative_infinity, b.negative_infinity)};
}

Masks Nonfinite::sum(const Masks& a, const Masks& b) {
    const Maybe against = logical_or(logical_and(a.positive_infinity, b.negative_infinity),
                                     logical_and(a.negative_infinity, b.positive_infinity));
    return {logical_or(logical_or(a.nan, b.nan), against), logical_or(a.positive_infinity, b.positive_infinity),
            logical_or(a.negative_infinity, b.negative_infinity)};
}

/// An infinity has the sign of the product; times 0 it is NaN.
Masks Nonfinite::product(const Masks& a, const Masks& b, ValueId x, ValueId y) {
    Masks out{logical_or(a.nan, b.nan), {}, {}};
    const auto add_infinite_factor = [&](const Masks& w, ValueId by) {
        if (!w.positive_infinity && !w.negative_infinity) return;
        const Maybe above = simplified(compared(op::greater, by, 0)), below = simplified(compared(op::less, by, 0));
        out.positive_infinity = logical_or(out.positive_infinity, logical_or(logical_and(w.positive_infinity, above),
                                                                             logical_and(w.negative_infinity, below)));
        out.negative_infinity = logical_or(out.negative_infinity, logical_or(logical_and(w.negative_infinity, above),
                                                                             logical_and(w.positive_infinity, below)));
        out.nan = logical_or(out.nan, logical_and(logical_or(w.positive_infinity, w.negative_infinity),
                                                  simplified(compared(op::equal, by, 0))));
    };
    add_infinite_factor(a, y);
    add_infinite_factor(b, x);
    return out;
}

Masks Nonfinite::quotient(ValueId id) {
    const ValueId x = operand(id, 0), y = operand(id, 1);
    const Masks a = found_[x], b = found_[y];
    Masks out{logical_or(a.nan, b.nan), {}, {}};
    out.nan = logical_or(out.nan, logical_and(logical_or(a.positive_infinity, a.negative_infinity),
                                              logical_or(b.positive_infinity, b.negative_infinity)));
    if (a.positive_infinity || a.negative_infinity) {
        const Maybe below = simplified(compared(op::less, y, 0)),
                    others = below ? simplified(logical_not(*below)) : std::nullopt;
        const auto not_negated = [&](Maybe v) { return below ? logical_and(v, others) : v; };
        out.positive_infinity = logical_or(not_negated(a.positive_infinity), logical_and(a.negative_infinity, below));
        out.negative_infinity = logical_or(not_negated(a.negative_infinity), logical_and(a.positive_infinity, below));
    }
    if (from_ == NonfiniteFrom::Constants || is_positive(b_.graph(), y)) return out;
    const Maybe zero = simplified(compared(op::equal, y, 0));
    if (!zero) return out;
    out.nan = logical_or(out.nan, logical_and(zero, simplified(compared(op::equal, x, 0))));
    out.positive_infinity =
        logical_or(out.positive_infinity, logical_and(zero, simplified(compared(op::greater, x, 0))));
    out.negative_infinity = logical_or(out.negative_infinity, logical_and(zero, simplified(compared(op::less, x, 0))));
    return out;
}

/// A row is completely NaN if it has a NaN or infinity, or only minus infinity.
Masks Nonfinite::softmax(ValueId id) {
    const Node at = node(id);
    const ValueId x = at.inputs[0].value;
    const Masks from = found_[x];
    const std::int64_t from_end = std::ssize(at.type.dims) - at.get(attr::axis);
    Masks out{logical_or(any_along(logical_or(from.nan, from.positive_infinity), from_end),
                         all_along(from.negative_infinity, from_end, b_.dims(x))),
              {},
              {}};
    if (at.inputs.size() > 1)  // the factor is 0 for rows that are masked completely
        out.nan = any_along(logical_or(from.nan, from.positive_infinity), from_end);
    if (at.op == op::log_softmax)
        out.negative_infinity = out.nan ? without(*out.nan, from.negative_infinity) : from.negative_infinity;
    return out;
}

/// Propagates NaN of complete rows of the first operand, as in masked attention.
Masks Nonfinite::matmul(ValueId id) {
    const Maybe nan = found_[operand(id, 0)].nan;
    if (!nan) return {};
    const Dims dims = b_.dims(*nan);
    return dims.empty() || dims.back() == 1 ? Masks{nan, {}, {}} : Masks{};
}

Masks Nonfinite::extreme(const Masks& a, const Masks& b, bool most) {
    const Maybe nan = logical_or(a.nan, b.nan);
    if (most)
        return {nan, logical_or(a.positive_infinity, b.positive_infinity),
                logical_and(a.negative_infinity, b.negative_infinity)};
    return {nan, logical_and(a.positive_infinity, b.positive_infinity),
            logical_or(a.negative_infinity, b.negative_infinity)};
}

Masks Nonfinite::function(ValueId id) {
    static const std::set<OpId> bounded{op::sigmoid, op::tanh, op::relu_max, op::erf, op::atan, op::sign};
    static const std::set<OpId> even{op::abs, op::square};
    static const std::set<OpId> rising{op::floor, op::ceil, op::round, op::truncate, op::lrelu};
    const Node at = node(id);
    if (at.inputs.size() != 1) return {};
    const ValueId x = at.inputs[0].value;
    const Masks from = found_[x];
    const bool all = from_ == NonfiniteFrom::All;
    const auto where = [&](OpId op, double with) { return all ? simplified(compared(op, x, with)) : std::nullopt; };
    if (bounded.contains(at.op)) return {from.nan, {}, {}};
    if (even.contains(at.op)) return {from.nan, logical_or(from.positive_infinity, from.negative_infinity), {}};
    if (rising.contains(at.op)) return from;
    if (at.op == op::neg) return swapped(from);
    if (at.op == op::relu || at.op == op::exp || at.op == op::softplus || at.op == op::elu)
        return {from.nan, from.positive_infinity, {}};
    if (at.op == op::sine || at.op == op::cosine)
        return {logical_or(from.nan, logical_or(from.positive_infinity, from.negative_infinity)), {}, {}};
    if (at.op == op::reciprocal) return {from.nan, is_positive(b_.graph(), x) ? std::nullopt : where(op::equal, 0), {}};
    if (at.op == op::log || at.op == op::sqrt) {
        Masks out{logical_or(from.nan, from.negative_infinity), from.positive_infinity, {}};
        if (!is_never_below_zero(b_.graph(), x)) out.nan = logical_or(out.nan, where(op::less, 0));
        if (at.op == op::log && !is_positive(b_.graph(), x)) out.negative_infinity = where(op::equal, 0);
        return out;
    }
    return {};
}

}  // namespace ttsim::impl::ir
