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

using Where = Nonfinite::Where;

Where swapped(const Where& a) { return {a.nan, a.down, a.up}; }

bool one_of(const Node& node, const std::set<std::string_view>& names) { return names.contains(node.op); }

}  // namespace

// --- booleans -----------------------------------------------------------------------------------------------------

/// Takes in what was added to the graph since.
void Nonfinite::note_made() {
    const Graph& graph = b_.graph();
    for (; noted_ < graph.nodes.size(); ++noted_) {
        const Node& at = node(noted_);
        if (at.inputs.empty() || (at.type.dtype != DType::Bool && at.op != "cast" && at.op != "reduce_max")) continue;
        std::vector<ValueId> in;
        for (const Edge& edge : at.inputs) in.push_back(edge.value);
        made_.try_emplace(key(at.op, in, at.attrs), noted_);
    }
}

/// The same for the same op on the same values; constants of one number are the same where the numbers are.
std::string Nonfinite::key(const std::string& op, const std::vector<ValueId>& in, const Attrs& attrs) const {
    std::string key = op;
    for (const ValueId id : in) {
        const Literal* literal = b_.literal(id);
        const bool number = literal && literal->size() == 1;
        key += number ? fmt::format(" {} {}", to_string(b_.type(id)), literal->at(0)) : fmt::format(" %{}", id);
    }
    for (const auto& [name, value] : attrs) key += fmt::format(" {}={}", name, to_string(value));
    return key;
}

ValueId Nonfinite::made(const std::string& op, const std::vector<ValueId>& in, Attrs attrs) {
    note_made();
    const auto found = made_.find(key(op, in, attrs));
    return found != made_.end() ? found->second : b_.add(op, in, std::move(attrs));
}

/// None for a constant that is false throughout; one that is true throughout is one number.
std::optional<ValueId> Nonfinite::known(ValueId a) {
    const Literal* literal = b_.literal(a);
    if (!literal || !literal->is_splat()) return a;
    return literal->at(0) == 0 ? std::nullopt : std::optional(always());
}

ValueId Nonfinite::always() {
    if (!always_) always_ = b_.scalar(1, DType::Bool);
    return *always_;
}

std::optional<ValueId> Nonfinite::either(Maybe a, Maybe b) {
    if (!a || !b) return a ? a : b;
    if (a == always_ || b == always_) return always_;
    return *a == *b ? a : known(made("or", {std::min(*a, *b), std::max(*a, *b)}));
}

std::optional<ValueId> Nonfinite::both(Maybe a, Maybe b) {
    if (!a || !b || are_opposite(*a, *b)) return std::nullopt;
    if (a == always_ || b == always_) return a == always_ ? b : a;
    return *a == *b ? a : known(made("and", {std::min(*a, *b), std::max(*a, *b)}));
}

ValueId Nonfinite::inverted(ValueId a) { return node(a).op == "not" ? operand(a, 0) : made("not", {a}); }

bool Nonfinite::are_opposite(ValueId a, ValueId b) const {
    const auto is_not = [&](ValueId x, ValueId y) { return node(x).op == "not" && operand(x, 0) == y; };
    return is_not(a, b) || is_not(b, a);
}

std::optional<ValueId> Nonfinite::without(ValueId condition, Maybe a) {
    if (!a || *a == condition) return std::nullopt;
    return both(known(inverted(condition)), a);
}

/// Whether any is true along an axis, which keeps its place.
std::optional<ValueId> Nonfinite::any_along(Maybe a, std::int64_t from_end) {
    if (!a) return a;
    const Dims dims = b_.dims(*a);
    const std::int64_t axis = static_cast<std::int64_t>(dims.size()) - from_end;
    if (axis < 0 || dims[static_cast<std::size_t>(axis)] == 1) return a;
    const ValueId number = made("cast", {*a}, {{"to", std::string(to_string(DType::F32))}});
    const ValueId most = made("reduce_max", {number}, {{"axis", axis}});
    return known(made("greater", {most, b_.scalar(0.5)}));
}

/// Whether all are; `whole`: the shape that it is broadcast to.
std::optional<ValueId> Nonfinite::all_along(Maybe a, std::int64_t from_end, const Dims& whole) {
    if (!a) return a;
    const std::int64_t axis = static_cast<std::int64_t>(whole.size()) - from_end;
    if (whole[static_cast<std::size_t>(axis)] == 0) return std::nullopt;
    const Maybe other = any_along(known(inverted(*a)), from_end);
    return other ? known(inverted(*other)) : std::optional(always());
}

ValueId Nonfinite::compared(const char* op, ValueId x, double with) {
    return made(op, {x, b_.scalar(with, b_.type(x).dtype)});
}

// --- values -------------------------------------------------------------------------------------------------------

const Where& Nonfinite::of(ValueId id) {
    // What it is made of comes first, one after the other: models are thousands of ops deep.
    std::vector<ValueId> open{id};
    std::set<ValueId> wanted;
    while (!open.empty()) {
        const ValueId next = open.back();
        open.pop_back();
        if (found_.contains(next) || !wanted.insert(next).second) continue;
        for (const ValueId from : sources(next)) open.push_back(from);
    }
    for (const ValueId next : wanted) {
        Where found = looked_up(next);
        found_[next] = found;
    }
    return found_[id];
}

/// The operands that looked_up() asks about. Weights, which are large, are none.
std::vector<ValueId> Nonfinite::sources(ValueId id) const {
    static const std::set<std::string_view> of_first{"matmul", "map_axis", "take"};
    static const std::set<std::string_view> of_all{"reshape",    "transpose", "hslice",     "hstack",
                                                   "reduce_max", "softmax",   "log_softmax"};
    const Node& at = node(id);
    const OpInfo* op = find_op(at.op);
    std::vector<ValueId> found;
    if (one_of(at, of_first) && !b_.literal(operand(id, 0))) return {operand(id, 0)};
    if (at.type.format || !is_float(at.type.dtype) || !op || !(op->elementwise || one_of(at, of_all))) return found;
    for (const Edge& edge : at.inputs) found.push_back(edge.value);
    return found;
}

Where Nonfinite::looked_up(ValueId id) {
    static const std::set<std::string_view> moves{"reshape", "transpose", "hslice", "hstack", "take", "nop"};
    const Node at = node(id);
    if (!is_float(at.type.dtype) || at.type.format || at.has("host")) return {};
    if (at.is_constant()) return of_constant(*at.literal);
    if (at.is_input()) return of_input(id);
    const OpInfo* op = find_op(at.op);
    if (op && op->level == Level::Host) return of_input(id);
    const auto in = [&](std::size_t k) { return found_[at.inputs[k].value]; };
    bool finite = true;
    for (const Edge& edge : at.inputs) finite = finite && found_[edge.value].nowhere();
    if (finite && from_ == NonfiniteFrom::Constants) return {};
    if (one_of(at, moves)) return moved(id);
    if (at.op == "cast") return in(0);
    if (at.op == "map_axis") return mapped(id);
    if (at.op == "where") return chosen(id);
    if (at.op == "add") return sum(in(0), in(1));
    if (at.op == "subtract") return sum(in(0), swapped(in(1)));
    if (at.op == "multiply") return product(in(0), in(1), at.inputs[0].value, at.inputs[1].value);
    if (at.op == "divide") return quotient(id);
    if (at.op == "maximum" || at.op == "minimum") return extreme(in(0), in(1), at.op == "maximum");
    if (at.op == "softmax" || at.op == "log_softmax") return softmax(id);
    if (at.op == "matmul") return matmul(id);
    if (at.op == "reduce_max") {
        const std::int64_t from_end = std::ssize(at.type.dims) - at.integer("axis", 0);
        const Dims whole = b_.dims(at.inputs[0].value);
        return {any_along(in(0).nan, from_end), any_along(in(0).up, from_end), all_along(in(0).down, from_end, whole)};
    }
    return function(id);
}

Where Nonfinite::of_constant(const Literal& literal) {
    const auto is_nan = [](float v) { return std::isnan(v); };
    const auto is_up = [](float v) { return std::isinf(v) && v > 0; };
    const auto is_down = [](float v) { return std::isinf(v) && v < 0; };
    return literal.with_floats([&](const std::vector<float>& floats) {
        const auto where = [&](auto is) -> Maybe {
            if (std::none_of(floats.begin(), floats.end(), is)) return std::nullopt;
            Literal made(DType::Bool, literal.dims());
            for (std::size_t k = 0; k < floats.size(); ++k) made.whole()[k] = is(floats[k]) ? 1 : 0;
            return known(b_.constant(std::move(made)));
        };
        return Where{where(is_nan), where(is_up), where(is_down)};
    });
}

Where Nonfinite::of_input(ValueId id) {
    if (from_ == NonfiniteFrom::Constants) return {};
    const ValueId same = made("equal", {id, id});
    return {inverted(same), compared("equal", id, infinity), compared("equal", id, -infinity)};
}

/// The booleans take the same way.
Where Nonfinite::moved(ValueId id) {
    const Node at = node(id);
    const Dims whole = b_.dims(at.inputs[0].value);
    const auto with = [&](Maybe a) -> Maybe {
        if (!a || a == always_) return a;
        std::vector<ValueId> in{b_.broadcast_to(*a, whole)};
        for (std::size_t k = 1; k < at.inputs.size(); ++k) in.push_back(at.inputs[k].value);
        return known(b_.add(at.op, in, at.attrs));
    };
    const Where from = found_[at.inputs[0].value];
    return {with(from.nan), with(from.up), with(from.down)};
}

/// Sums with weights: a number of an infinity keeps or turns its sign, two that differ are NaN.
Where Nonfinite::mapped(ValueId id) {
    const Node at = node(id);
    const Where from = found_[at.inputs[0].value];
    const Literal* matrix = b_.literal(at.inputs[1].value);
    if (!matrix || from.nowhere()) return {};
    const Dims whole = b_.dims(at.inputs[0].value);
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
            b_.map_axis(b_.cast(b_.broadcast_to(*a, whole), DType::F32), at.integer("axis", 0), std::move(weights));
        return known(b_.add("greater", {hits, b_.scalar(0.5)}));
    };
    const auto above = [](double v) { return v > 0; };
    const auto below = [](double v) { return v < 0; };
    Where out{met(from.nan, [](double v) { return v != 0; }), either(met(from.up, above), met(from.down, below)),
              either(met(from.down, above), met(from.up, below))};
    out.nan = either(out.nan, both(out.up, out.down));
    return out;
}

Where Nonfinite::chosen(ValueId id) {
    const ValueId condition = operand(id, 0);
    const Where a = found_[operand(id, 1)], b = found_[operand(id, 2)];
    const auto choice = [&](Maybe yes, Maybe no) {
        return either(yes && *yes == condition ? yes : both(known(condition), yes), without(condition, no));
    };
    return {choice(a.nan, b.nan), choice(a.up, b.up), choice(a.down, b.down)};
}

Where Nonfinite::sum(const Where& a, const Where& b) {
    const Maybe against = either(both(a.up, b.down), both(a.down, b.up));
    return {either(either(a.nan, b.nan), against), either(a.up, b.up), either(a.down, b.down)};
}

/// An infinity takes the sign of the other factor; by 0 it is NaN.
Where Nonfinite::product(const Where& a, const Where& b, ValueId x, ValueId y) {
    Where out{either(a.nan, b.nan), {}, {}};
    const auto turned = [&](const Where& w, ValueId by) {
        if (!w.up && !w.down) return;
        const Maybe above = known(compared("greater", by, 0)), below = known(compared("less", by, 0));
        out.up = either(out.up, either(both(w.up, above), both(w.down, below)));
        out.down = either(out.down, either(both(w.down, above), both(w.up, below)));
        out.nan = either(out.nan, both(either(w.up, w.down), known(compared("equal", by, 0))));
    };
    turned(a, y);
    turned(b, x);
    return out;
}

Where Nonfinite::quotient(ValueId id) {
    const ValueId x = operand(id, 0), y = operand(id, 1);
    const Where a = found_[x], b = found_[y];
    Where out{either(a.nan, b.nan), {}, {}};
    out.nan = either(out.nan, both(either(a.up, a.down), either(b.up, b.down)));
    if (a.up || a.down) {
        const Maybe below = known(compared("less", y, 0)), others = below ? known(inverted(*below)) : std::nullopt;
        const auto kept = [&](Maybe v) { return below ? both(v, others) : v; };
        out.up = either(kept(a.up), both(a.down, below));
        out.down = either(kept(a.down), both(a.up, below));
    }
    if (from_ == NonfiniteFrom::Constants || is_positive(b_.graph(), y)) return out;
    const Maybe zero = known(compared("equal", y, 0));
    if (!zero) return out;
    out.nan = either(out.nan, both(zero, known(compared("equal", x, 0))));
    out.up = either(out.up, both(zero, known(compared("greater", x, 0))));
    out.down = either(out.down, both(zero, known(compared("less", x, 0))));
    return out;
}

/// A row is NaN as a whole: with a NaN or infinity in it, or with minus infinity throughout.
Where Nonfinite::softmax(ValueId id) {
    const Node at = node(id);
    const ValueId x = at.inputs[0].value;
    const Where from = found_[x];
    const std::int64_t from_end = std::ssize(at.type.dims) - at.integer("axis", 0);
    Where out{
        either(any_along(either(from.nan, from.up), from_end), all_along(from.down, from_end, b_.dims(x))), {}, {}};
    if (at.inputs.size() > 1)  // rows that are masked as a whole have a 0 there
        out.nan = any_along(either(from.nan, from.up), from_end);
    if (at.op == "log_softmax") out.down = out.nan ? without(*out.nan, from.down) : from.down;
    return out;
}

/// NaN that goes through whole rows of the first operand, as that of masked attention.
Where Nonfinite::matmul(ValueId id) {
    const Maybe nan = found_[operand(id, 0)].nan;
    if (!nan) return {};
    const Dims dims = b_.dims(*nan);
    return dims.empty() || dims.back() == 1 ? Where{nan, {}, {}} : Where{};
}

Where Nonfinite::extreme(const Where& a, const Where& b, bool most) {
    const Maybe nan = either(a.nan, b.nan);
    if (most) return {nan, either(a.up, b.up), both(a.down, b.down)};
    return {nan, both(a.up, b.up), either(a.down, b.down)};
}

Where Nonfinite::function(ValueId id) {
    static const std::set<std::string_view> bounded{"sigmoid", "tanh", "relu_max", "erf", "atan", "sign"};
    static const std::set<std::string_view> even{"abs", "square"};
    static const std::set<std::string_view> rising{"floor", "ceil", "round", "truncate", "lrelu"};
    const Node at = node(id);
    if (at.inputs.size() != 1) return {};
    const ValueId x = at.inputs[0].value;
    const Where from = found_[x];
    const bool all = from_ == NonfiniteFrom::All;
    const auto where = [&](const char* op, double with) { return all ? known(compared(op, x, with)) : std::nullopt; };
    if (one_of(at, bounded)) return {from.nan, {}, {}};
    if (one_of(at, even)) return {from.nan, either(from.up, from.down), {}};
    if (one_of(at, rising)) return from;
    if (at.op == "neg") return swapped(from);
    if (at.op == "relu" || at.op == "exp" || at.op == "softplus" || at.op == "elu") return {from.nan, from.up, {}};
    if (at.op == "sine" || at.op == "cosine") return {either(from.nan, either(from.up, from.down)), {}, {}};
    if (at.op == "reciprocal") return {from.nan, is_positive(b_.graph(), x) ? std::nullopt : where("equal", 0), {}};
    if (at.op == "log" || at.op == "sqrt") {
        Where out{either(from.nan, from.down), from.up, {}};
        if (!is_never_below_zero(b_.graph(), x)) out.nan = either(out.nan, where("less", 0));
        if (at.op == "log" && !is_positive(b_.graph(), x)) out.down = where("equal", 0);
        return out;
    }
    return {};
}

}  // namespace ttsim::impl::ir
