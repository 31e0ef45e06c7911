// decompose-elementwise: what the device has no op for, from what it has.
//
//   a > b      clamp((a - b) * 1e30, 0, 1)                    exact for every difference a float can show
//   round x    (x + 1.5 * 2^23) - 1.5 * 2^23                  float32 addition rounds half to even; |x| < 2^22
//   a / b      a * (1 / b);  integers: floor((|a| + 0.5) / |b|), right while |a| < 2^22
//   max(x, 0)  relu x;  min(max(x, 0), c) relu_max x, which the packer does
//   erf x      Abramowitz and Stegun 7.1.26, |error| < 1.5e-7
#include <cmath>
#include <map>
#include <numbers>

#include "compiler/pass.hpp"

namespace tt::ir {

namespace {

/// Arithmetic on values of the graph being built.
class Math {
public:
    Math(Builder& build, bool precise) : build_(build), precise_(precise) {}

    ValueId number(double value, ValueId like) { return build_.scalar(value, build_.type(like).dtype); }
    ValueId real(double value) { return build_.scalar(value); }
    ValueId one(const char* op, ValueId x, Attrs attrs = {}) { return build_.add(op, {x}, std::move(attrs)); }
    ValueId two(const char* op, ValueId a, ValueId b) { return build_.add(op, {a, b}); }
    ValueId add(ValueId a, ValueId b) { return two("add", a, b); }
    ValueId sub(ValueId a, ValueId b) { return two("subtract", a, b); }
    ValueId mul(ValueId a, ValueId b) { return two("multiply", a, b); }
    ValueId scaled(ValueId x, double factor) { return mul(x, real(factor)); }
    ValueId neg(ValueId x) { return scaled(x, -1); }
    /// 1 where x > 0, else 0.
    ValueId step(ValueId x) { return one("relu_max", scaled(x, 1e30), {{"threshold", 1.0}}); }
    ValueId complement(ValueId x) { return sub(real(1), x); }
    ValueId round(ValueId x) {
        constexpr double shift = 12582912.0;
        const ValueId lifted = build_.add("add", {x, real(shift)}, {{"exact", std::int64_t{1}}});
        return build_.add("subtract", {lifted, real(shift)}, {{"exact", std::int64_t{1}}});
    }
    ValueId floor(ValueId x) {
        const ValueId r = round(x);
        return sub(r, step(sub(r, x)));
    }
    ValueId sign(ValueId x) { return sub(step(x), step(neg(x))); }
    ValueId truncate(ValueId x) { return mul(sign(x), floor(one("abs", x))); }
    ValueId inverse(ValueId x) { return one("reciprocal", x); }
    /// a / b. With float32 one Newton step more makes quotients that a float can hold exact; where the result is
    /// rounded to a whole number (`decisive`) the step's residual is exact, and the quotient correctly rounded.
    ValueId quotient(ValueId a, ValueId b, bool decisive) {
        const ValueId r = inverse(b), q = mul(a, r);
        if (!precise_ || exact_inverse(build_.literal(b))) return q;
        const ValueId p = mul(b, q);
        const ValueId residual = decisive ? sub(sub(a, p), product_error(b, q, p)) : sub(a, p);
        return add(q, mul(r, residual));
    }
    ValueId minimum(ValueId a, ValueId b) { return neg(two("maximum", neg(a), neg(b))); }

    ValueId erf(ValueId x) {
        const ValueId size = one("abs", x);
        const ValueId t = inverse(add(scaled(size, 0.3275911), real(1)));
        ValueId sum = real(1.061405429);
        for (const double a : {-1.453152027, 1.421413741, -0.284496736, 0.254829592}) sum = add(mul(sum, t), real(a));
        const ValueId tail = mul(mul(sum, t), one("exp", neg(one("square", x))));
        return mul(sign(x), complement(tail));
    }
    /// floor(|a| / |b|) of integers: half a step up keeps rounding away from the edge.
    ValueId whole_quotient(ValueId a, ValueId b) {
        return floor(mul(add(one("abs", a), real(0.5)), inverse(one("abs", b))));
    }
    Builder& build() { return build_; }
    bool precise() const { return precise_; }

private:
    /// The upper half of a float's digits (Veltkamp).
    ValueId upper(ValueId x) {
        const ValueId t = scaled(x, 4097);
        return sub(t, sub(t, x));
    }
    /// a * b - p, where p is that product rounded (Dekker).
    ValueId product_error(ValueId a, ValueId b, ValueId p) {
        const ValueId ah = upper(a), bh = upper(b), al = sub(a, ah), bl = sub(b, bh);
        const ValueId crossed = add(add(sub(mul(ah, bh), p), mul(ah, bl)), mul(al, bh));
        return add(crossed, mul(al, bl));
    }
    static bool exact_inverse(const Literal* divisor) {
        int exponent = 0;
        return divisor && divisor->is_splat() && std::fabs(std::frexp(divisor->at(0), &exponent)) == 0.5;
    }

    Builder& build_;
    bool precise_;
};

using Operands = std::span<const ValueId>;
using Recipe = ValueId (*)(Math&, const Node&, Operands);

ValueId divide(Math& m, const Node& node, Operands in) {
    if (is_float(node.type.dtype)) return m.quotient(in[0], in[1], node.has("decisive"));
    return m.mul(m.mul(m.sign(in[0]), m.sign(in[1])), m.whole_quotient(in[0], in[1]));
}

ValueId modulo(Math& m, const Node& node, Operands in) {
    const ValueId a = in[0], b = in[1];
    if (node.integer("fmod", 0) != 0) {
        const ValueId top = m.one("abs", a), below = m.one("abs", b);
        const ValueId times =
            is_float(node.type.dtype) ? m.floor(m.mul(top, m.inverse(below))) : m.whole_quotient(a, b);
        return m.mul(m.sign(a), m.sub(top, m.mul(below, times)));
    }
    const ValueId shifted = is_float(node.type.dtype) ? a : m.add(a, m.scaled(m.sign(b), 0.5));
    return m.sub(a, m.mul(b, m.floor(m.mul(shifted, m.inverse(b)))));
}

/// x^n for a whole n by squaring.
ValueId whole_power(Math& m, ValueId x, std::int64_t n) {
    if (n == 1) return x;
    const ValueId half = whole_power(m, m.one("square", x), n / 2);
    return n % 2 == 0 ? half : m.mul(half, x);
}

ValueId power(Math& m, const Node& node, Operands in) {
    const Literal* exponent = m.build().literal(in[1]);
    const bool stays = node.type.dims == m.build().dims(in[0]);
    ValueId result = in[0];
    if (exponent && exponent->is_splat() && stays && exponent->at(0) != 0 && std::fabs(exponent->at(0)) <= 64) {
        const double e = exponent->at(0), size = std::fabs(e);
        if (size == std::floor(size))
            result = whole_power(m, in[0], static_cast<std::int64_t>(size));
        else if (size == 0.5)
            result = m.one("sqrt", in[0]);
        else
            result = m.one("exp", m.scaled(m.one("log", in[0]), size));
        if (e < 0) result = m.inverse(result);
    } else {
        result = m.one("exp", m.mul(m.one("log", in[0]), in[1]));
    }
    return is_float(node.type.dtype) ? result : m.round(result);
}

ValueId cast(Math& m, const Node& node, Operands in) {
    const DType from = m.build().type(in[0]).dtype, to = node.type.dtype;
    ValueId x = in[0];
    if (to == DType::Bool && from != DType::Bool)
        x = m.step(m.one("abs", x));
    else if (is_float(from) && !is_float(to))
        x = m.truncate(x);
    Attrs attrs = node.attrs;
    attrs["exact"] = std::int64_t{1};
    return m.build().add("cast", {x}, attrs);
}

ValueId elu(Math& m, const Node& node, Operands in) {
    const ValueId below = m.neg(m.one("relu", m.neg(in[0])));
    return m.add(m.one("relu", in[0]), m.scaled(m.sub(m.one("exp", below), m.real(1)), node.number("alpha", 1)));
}

/// The number that is all of a constant; nothing for others.
std::optional<double> splat(Math& m, ValueId id) {
    const Literal* literal = m.build().literal(id);
    return literal && literal->is_splat() ? std::optional(literal->at(0)) : std::nullopt;
}

/// A clamp from below to 0 is a relu.
ValueId maximum(Math& m, const Node& node, Operands in) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
        if (splat(m, in[k]) == 0.0 && !m.build().literal(in[1 - k]) && m.build().dims(in[1 - k]) == node.type.dims)
            return m.one("relu", in[1 - k]);
    return m.two("maximum", in[0], in[1]);
}

/// And one from above of what is no less than 0 a relu_max.
ValueId minimum(Math& m, const Node&, Operands in) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const auto most = splat(m, in[k]);
        const Node& other = m.build().graph().nodes[in[1 - k]];
        if (most && *most > 0 && std::isfinite(*most) && other.op == "relu")
            return m.one("relu_max", other.inputs[0].value, {{"threshold", *most}});
    }
    return m.minimum(in[0], in[1]);
}

const std::map<std::string, Recipe>& recipes() {
    static const std::map<std::string, Recipe> table{
        {"neg", [](Math& m, const Node&, Operands in) { return m.neg(in[0]); }},
        {"divide", divide},
        {"modulo", modulo},
        {"power", power},
        {"cast", cast},
        {"elu", elu},
        {"minimum", minimum},
        {"maximum", maximum},
        {"sign", [](Math& m, const Node&, Operands in) { return m.sign(in[0]); }},
        {"round", [](Math& m, const Node&, Operands in) { return m.round(in[0]); }},
        {"floor", [](Math& m, const Node&, Operands in) { return m.floor(in[0]); }},
        {"ceil", [](Math& m, const Node&, Operands in) { return m.neg(m.floor(m.neg(in[0]))); }},
        {"truncate", [](Math& m, const Node&, Operands in) { return m.truncate(in[0]); }},
        {"erf", [](Math& m, const Node&, Operands in) { return m.erf(in[0]); }},
        {"gelu_erf",
         [](Math& m, const Node&, Operands in) {
             if (!m.precise()) return m.one("gelu", in[0]);
             const ValueId gate = m.add(m.erf(m.scaled(in[0], 1 / std::numbers::sqrt2)), m.real(1));
             return m.mul(m.scaled(in[0], 0.5), gate);
         }},
        {"softplus",
         [](Math& m, const Node&, Operands in) {
             const ValueId small = m.one("exp", m.neg(m.one("abs", in[0])));
             return m.add(m.one("relu", in[0]), m.one("log", m.add(small, m.real(1))));
         }},
        {"not", [](Math& m, const Node&, Operands in) { return m.complement(in[0]); }},
        {"and", [](Math& m, const Node&, Operands in) { return m.mul(in[0], in[1]); }},
        {"or", [](Math& m, const Node&, Operands in) { return m.two("maximum", in[0], in[1]); }},
        {"xor", [](Math& m, const Node&, Operands in) { return m.one("abs", m.sub(in[0], in[1])); }},
        {"greater", [](Math& m, const Node&, Operands in) { return m.step(m.sub(in[0], in[1])); }},
        {"less", [](Math& m, const Node&, Operands in) { return m.step(m.sub(in[1], in[0])); }},
        {"greater_equal", [](Math& m, const Node&, Operands in) { return m.complement(m.step(m.sub(in[1], in[0]))); }},
        {"less_equal", [](Math& m, const Node&, Operands in) { return m.complement(m.step(m.sub(in[0], in[1]))); }},
        {"equal",
         [](Math& m, const Node&, Operands in) { return m.complement(m.step(m.one("abs", m.sub(in[0], in[1])))); }},
        {"where", [](Math& m, const Node&,
                     Operands in) { return m.add(m.mul(in[0], in[1]), m.mul(m.complement(in[0]), in[2])); }},
    };
    return table;
}

/// Quotients that are rounded to whole numbers next.
void mark_decisive(Graph& graph) {
    for (const Node& node : graph.nodes)
        if (node.op == "round" || node.op == "floor" || node.op == "ceil" || node.op == "truncate")
            if (Node& read = graph.nodes[node.inputs[0].value]; read.op == "divide")
                read.attrs["decisive"] = std::int64_t{1};
}

void run(Graph& graph, const PassOptions& options) {
    mark_decisive(graph);
    rewrite(graph, [&](Builder& build, const Node& node, Operands in) -> std::optional<ValueId> {
        const auto recipe = recipes().find(node.op);
        if (recipe == recipes().end() || node.has("exact")) return std::nullopt;
        Math math(build, options.default_df == DataFormat::Float32);
        // Arithmetic is on floats; the result gets its element type back.
        std::vector<ValueId> floats;
        for (const ValueId id : in) floats.push_back(build.literal(id) ? build.cast(id, DType::F32) : id);
        ValueId result = recipe->second(math, node, node.op == "cast" ? in : Operands(floats));
        if (build.type(result).dtype != node.type.dtype)
            result = build.add("cast", {result},
                               {{"to", std::string(to_string(node.type.dtype))}, {"exact", std::int64_t{1}}});
        return result;
    });
}

}  // namespace

extern const Pass decompose_elementwise;
const Pass decompose_elementwise{.name = "decompose-elementwise",
                                 .summary = "comparisons, rounding, division, powers, erf from device ops",
                                 .run = run};

}  // namespace tt::ir
