// decompose-elementwise: what the device has no op for, from what it has.
//
//   a > b      above (a - b), 0 or 1, exact for every difference a float can show
//   round x    |x| bit by bit: r = min(|x|, 2^n); for k = n - 1 .. 0: r -= clamp((r - 2^k) * 1e30, 0, 2^k);
//              what is left is in (0, 1], and |x| + (0 or 1) - r is whole. Each step is exact in every format, and
//              so is the result; no format holds a fraction from 2^n on. floor, ceil and truncate decide otherwise
//   quantize   round, plus what stands for 0, between two limits; with formats of 16 bits, on chips that have them, by
//              the quantizing ops (round_int8), half away from 0: what lies in the midst there was rounded to it
//   cast       to integers as truncate x, of whole ones as they are
//   a / b      a * (1 / b);  integers: floor((|a| + 0.5) / |b|), put right by the remainder: exact while the
//              format holds the integers
//   max(x, 0)  relu x;  min(max(x, 0), c) relu_max x, which the packer does
//   others     sign, erf, atan and relatives, powers of any sign: device_functions.hpp
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "compiler/host/host_rounding.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/passes/device_functions.hpp"
#include "compiler/passes/fp16_quantizers.hpp"

namespace ttsim::impl::ir {

namespace {

/// Arithmetic on values of the graph being built.
class Math {
public:
    Math(Builder& build, const PassOptions& options)
        : build_(build),
          df_(options.default_df),
          precise_(df_ == DataFormat::Float32),
          quantizes_(!precise_ && options.wide_dest && !options.accumulate_df && info(df_).family == FormatFamily::B),
          fine_(works_in_fp16_quantizers(options)) {}

    ValueId number(double value, ValueId like) { return build_.scalar(value, build_.type(like).dtype); }
    ValueId real(double value) { return build_.scalar(value); }
    ValueId one(const char* op, ValueId x, Attrs attrs = {}) { return build_.add(op, {x}, std::move(attrs)); }
    ValueId two(const char* op, ValueId a, ValueId b) { return build_.add(op, {a, b}); }
    ValueId add(ValueId a, ValueId b) { return two("add", a, b); }
    ValueId sub(ValueId a, ValueId b) { return two("subtract", a, b); }
    ValueId mul(ValueId a, ValueId b) { return two("multiply", a, b); }
    ValueId scaled(ValueId x, double factor) { return mul(x, real(factor)); }
    /// The multiplier reads 10 of Float16's 11 bits of a first operand; a difference keeps all.
    ValueId neg(ValueId x) { return sub(real(0), x); }
    /// `height` where x > 0, else 0, for differences that are within 1e-30 and 1e8 of each other; others are for
    /// above(). A 5-bit exponent holds no number as large as 1e30.
    ValueId step(ValueId x, double height = 1) {
        const auto clamped = [&](ValueId v) { return one("relu_max", v, {{"threshold", height}}); };
        if (in_steps_) return clamped(scaled(x, 0x1p15));  // no difference is below 2^-11 of what it decides
        if (info(df_).family != FormatFamily::A) return clamped(scaled(x, 1e30));
        return clamped(scaled(clamped(scaled(x, 0x1p15)), 0x1p15));
    }
    ValueId complement(ValueId x) { return sub(real(1), x); }

    double far() const { return static_cast<double>(stand_in_for_infinity(df_)); }
    ValueId finite(ValueId x) {
        const Literal* known = build_.literal(x);
        const auto infinite = [](float v) { return std::isinf(v); };
        if (!known || std::none_of(known->floats().begin(), known->floats().end(), infinite)) return x;
        Literal made = *known;
        for (float& v : made.floats())
            if (std::isinf(v)) v = static_cast<float>(std::copysign(far(), v));
        return build_.constant(std::move(made));
    }
    /// The sign of a constant that is infinite throughout, else 0.
    double infinite(ValueId x) const {
        const Literal* known = build_.literal(x);
        if (!known || !is_float(known->dtype()) || !known->is_splat() || !std::isinf(known->at(0))) return 0;
        return std::copysign(1.0, known->at(0));
    }
    ValueId is_beyond(ValueId x, double sign) {
        return above(sign > 0 ? sub(x, real(far() / 2)) : sub(real(-far() / 2), x));
    }

    /// Of |x|: what stands above the next lower integer, in (0, 1], or 0 for 0; and whether that number is odd.
    struct Part {
        ValueId size, fraction, odd;
    };
    Part part(ValueId x, int bits) {
        const ValueId size = is_below_zero_nowhere(x) ? x : one("abs", x);
        const double most = std::ldexp(1.0, bits);
        const Node& maker = build_.graph().nodes[size];
        const bool small = maker.op == "relu_max" && maker.number("threshold", most) <= most;
        ValueId rest = small ? size : one("relu_max", size, {{"threshold", most}}), bit = rest;
        for (int k = bits - 1; k >= 0; --k) {
            const double weight = std::ldexp(1.0, k);
            bit = step(sub(rest, real(weight)), weight);
            rest = sub(rest, bit);
        }
        return {size, rest, bit};
    }
    /// |x| with its fraction replaced by `up`, which is 0 or 1.
    ValueId replaced(const Part& p, ValueId up) { return add(p.size, sub(up, p.fraction)); }
    ValueId is_one(ValueId fraction) { return complement(step(sub(real(1), fraction))); }

    /// Half to even.
    ValueId round(ValueId x) { return round(x, whole_bits()); }
    ValueId round(ValueId x, int bits) {
        const Part p = part(x, bits);
        const ValueId above = step(sub(p.fraction, real(0.5))), below = step(sub(real(0.5), p.fraction));
        const ValueId size = replaced(p, two("maximum", above, mul(p.odd, complement(below))));
        return is_below_zero_nowhere(x) ? size : mul(side(x), size);
    }
    bool is_below_zero_nowhere(ValueId x) const {
        const std::string& op = build_.graph().nodes[x].op;
        return op == "relu" || op == "relu_max" || op == "abs" || op == "sigmoid" || op == "exp";
    }
    /// x in steps of a grid whose number `zero` stands for 0, as one of low to high.
    ValueId quantized(ValueId x, ValueId zero, double low, double high) {
        constexpr double most = 127;  // of Int8, to either side
        const Literal* known = build_.literal(zero);
        const bool alike = known && known->is_splat();
        const double shift = alike ? known->at(0) : 0;
        if (high - low > 2 * most + 1 || (!quantizes_ && !alike)) return limited(plus(round(x), zero), low, high);
        // Limits are integers: before rounding they leave what is small, and often what has no sign.
        if (!quantizes_) return in_steps(x, zero, low - shift, high - shift);
        const auto [y, scale] = alike ? unscaled(x) : std::pair(add(x, zero), real(1));
        const ValueId near = build_.add("round_int8", {y, scale}, {{"offset", low + most}, {"zero", shift}});
        if (high - low == 2 * most) return near;
        if (high - low < 2 * most) return limited(near, low, high);
        const ValueId top = mul(real(high - shift - 0.5), inverse(scale));
        return add(near, step(sub(y, top)));  // its last number has no room there
    }
    /// The same where the limits are those of x. Where formats of 5 exponent bits have more digits they are given
    /// to this work (fp16-quantizers), so it must be right in both.
    ValueId in_steps(ValueId x, ValueId zero, double low, double high) {
        const double most = std::max({-low, high, 2.0});  // one bit at least says whether a number is odd
        const int bits = std::min(fine_ ? 8 : whole_bits(), static_cast<int>(std::ceil(std::log2(most))));
        if (fine_) build_.set_kind(std::string(fp16_quantizers));
        in_steps_ = fine_;
        const ValueId rounded = plus(round(limited(x, low, high), bits), zero);
        in_steps_ = false;
        if (fine_) build_.set_kind("quantize");
        return rounded;
    }
    /// What was scaled by constants above 0, and these: the quantizing op does that itself.
    std::pair<ValueId, ValueId> unscaled(ValueId x) {
        const Node& node = build_.graph().nodes[x];
        if (node.op == "multiply")
            for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
                const ValueId scale = node.inputs[1 - k].value;
                const Literal* known = build_.literal(scale);
                if (known && build_.dims(node.inputs[k].value) == node.type.dims &&
                    std::all_of(known->floats().begin(), known->floats().end(), [](float v) { return v > 0; }))
                    return {node.inputs[k].value, scale};
            }
        return {x, real(1)};
    }
    ValueId plus(ValueId x, ValueId zero) {
        const Literal* known = build_.literal(zero);
        return known && known->is_splat() && known->at(0) == 0 ? x : add(x, zero);
    }
    ValueId limited(ValueId x, double low, double high) {
        if (low == 0) return one("relu_max", x, {{"threshold", high}});
        return minimum(two("maximum", x, real(low)), real(high));
    }
    /// Of a negative number every fraction counts, of the others a whole one.
    ValueId floor(ValueId x) {
        const Part p = part(x, whole_bits());
        const ValueId negative = above(neg(x));
        const ValueId up = two("maximum", is_one(p.fraction), mul(negative, above(p.fraction)));
        return mul(sign(x), replaced(p, up));
    }
    ValueId sign(ValueId x) {
        if (in_steps_) return sub(step(x), step(neg(x)));
        return DeviceFunctions(*this).sign(x);
    }
    ValueId above(ValueId x) { return DeviceFunctions(*this).above(x); }
    /// The sign of a number of 1/4 or more; of smaller ones something between -1 and 1.
    ValueId side(ValueId x) { return in_steps_ ? sign(x) : DeviceFunctions(*this).side(x); }
    ValueId floor_of_size(ValueId x) {
        const Part p = part(x, whole_bits());
        return replaced(p, is_one(p.fraction));
    }
    ValueId truncate(ValueId x) { return mul(side(x), floor_of_size(x)); }
    ValueId inverse(ValueId x) { return one("reciprocal", x); }
    /// a / b; in Float32 with one Newton step more.
    ValueId quotient(ValueId a, ValueId b) {
        const ValueId r = inverse(b), q = mul(a, r);
        if (!precise_ || exact_inverse(build_.literal(b))) return q;
        return add(q, mul(r, sub(a, mul(b, q))));
    }
    ValueId minimum(ValueId a, ValueId b) { return neg(two("maximum", neg(a), neg(b))); }

    /// |a| / |b| of integers as quotient and remainder. Half a step up keeps the estimate away from the edge; where a
    /// format's reciprocal misses by one, the remainder shows it.
    std::pair<ValueId, ValueId> whole_division(ValueId a, ValueId b) {
        const ValueId top = one("abs", a), below = one("abs", b);
        const ValueId estimate = floor_of_size(mul(add(top, real(0.5)), inverse(below)));
        const ValueId rest = sub(top, mul(below, estimate));
        const ValueId more = complement(step(sub(below, rest))), less = step(neg(rest));
        const ValueId off = sub(more, less);
        return {add(estimate, off), sub(rest, mul(below, off))};
    }
    Builder& build() { return build_; }
    bool precise() const { return precise_; }
    FormatFamily family() const { return info(df_).family; }

private:
    /// From 2^this on the format holds integers only; of Float32 what --numerics float32 shall still round.
    int whole_bits() const {
        if (precise_) return 16;
        return info(df_).family == FormatFamily::A ? 11 : 8;
    }
    static bool exact_inverse(const Literal* divisor) {
        int exponent = 0;
        return divisor && divisor->is_splat() && std::fabs(std::frexp(divisor->at(0), &exponent)) == 0.5;
    }

    Builder& build_;
    DataFormat df_;
    bool precise_;
    bool quantizes_;  ///< the chip does
    bool fine_;       ///< quantizers may work in formats of 5 exponent bits
    bool in_steps_ = false;
};

/// Which values are integers whatever their operands are.
class IntegerIndices {
public:
    void note(ValueId id) { known_[id] = true; }
    bool is_whole(const Builder& build, ValueId id) {
        if (const auto found = known_.find(id); found != known_.end()) return found->second;
        return known_[id] = looked_up(build, build.graph().nodes[id]);
    }

private:
    bool looked_up(const Builder& build, const Node& node) {
        static const std::set<std::string_view> keep{
            "add",       "subtract",    "multiply", "maximum", "relu",       "abs",      "nop",    "reshape",
            "transpose", "gather_rows", "hslice",   "hstack",  "reduce_max", "map_axis", "matmul", "gather_sum"};
        if (!is_float(node.type.dtype)) return true;
        if (node.literal) return are_whole(*node.literal);
        if (node.op == "relu_max" && node.number("threshold", 1) != std::nearbyint(node.number("threshold", 1)))
            return false;
        if (node.op == "cast" && !node.has("exact")) return is_whole(build, node.inputs[0].value);
        if (!keep.contains(node.op) && node.op != "relu_max" && node.op != "cast") return false;
        return std::all_of(node.inputs.begin(), node.inputs.end(),
                           [&](const Edge& edge) { return is_whole(build, edge.value); });
    }
    static bool are_whole(const Literal& literal) {
        const std::vector<float>& floats = literal.floats();
        return std::all_of(floats.begin(), floats.end(), [](float v) { return v == std::nearbyint(v); });
    }

    std::map<ValueId, bool> known_;
};

using Operands = std::span<const ValueId>;
using Recipe = ValueId (*)(Math&, const Node&, Operands);

ValueId divide(Math& m, const Node& node, Operands in) {
    if (is_float(node.type.dtype)) return m.quotient(in[0], in[1]);
    return m.mul(m.mul(m.sign(in[0]), m.sign(in[1])), m.whole_division(in[0], in[1]).first);
}

ValueId modulo(Math& m, const Node& node, Operands in) {
    const ValueId a = in[0], b = in[1];
    if (is_float(node.type.dtype)) {
        if (node.integer("fmod", 0) == 0) return m.sub(a, m.mul(b, m.floor(m.mul(a, m.inverse(b)))));
        const ValueId top = m.one("abs", a), below = m.one("abs", b);
        return m.mul(m.sign(a), m.sub(top, m.mul(below, m.floor_of_size(m.mul(top, m.inverse(below))))));
    }
    const ValueId rest = m.mul(m.sign(a), m.whole_division(a, b).second);
    if (node.integer("fmod", 0) != 0) return rest;
    // with the sign of b: a remainder of the other sign is one b away
    return m.add(rest, m.mul(b, m.step(m.neg(m.mul(m.sign(rest), m.sign(b))))));
}

/// x^n for a whole n by squaring.
ValueId whole_power(Math& m, ValueId x, std::int64_t n) {
    if (n == 1) return x;
    const ValueId half = whole_power(m, m.one("square", x), n / 2);
    return n % 2 == 0 ? half : m.mul(half, x);
}

ValueId power(Math& m, const Node& node, Operands in) {
    const Literal* exponent = m.build().literal(in[1]);
    const bool known = exponent && exponent->is_splat();
    const double e = known ? exponent->at(0) : 0, size = std::fabs(e);
    const bool positive = is_positive(m.build().graph(), in[0]);
    ValueId result = in[0];
    if (known && e == 0) {
        result = m.real(1);
    } else if (known && size == std::floor(size) && size <= 64) {
        result = whole_power(m, in[0], static_cast<std::int64_t>(size));
        if (e < 0) result = m.inverse(result);
    } else if (known && size != std::floor(size)) {
        if (size == 0.5)
            result = m.one("sqrt", in[0]);
        else if (size < 1 && !positive)
            result = DeviceFunctions(m).root(in[0], size);
        else
            result = m.one("exp", m.scaled(m.one("log", in[0]), size));
        if (e < 0) result = m.inverse(result);
    } else if (positive) {
        result = m.one("exp", m.mul(m.one("log", in[0]), in[1]));
    } else {
        result = DeviceFunctions(m).power(in[0], in[1]);
    }
    if (m.build().dims(result) != node.type.dims) result = m.build().broadcast_to(result, node.type.dims);
    return is_float(node.type.dtype) ? result : m.round(result);
}

ValueId cast(Math& m, const Node& node, Operands in) {
    const DType from = m.build().type(in[0]).dtype, to = node.type.dtype;
    ValueId x = in[0];
    if (to == DType::Bool && from != DType::Bool)
        x = m.above(m.one("abs", x));
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
        {"quantize",
         [](Math& m, const Node& node, Operands in) {
             return m.quantized(in[0], in[1], node.number("low", 0), node.number("high", 255));
         }},
        {"floor", [](Math& m, const Node&, Operands in) { return m.floor(in[0]); }},
        {"ceil", [](Math& m, const Node&, Operands in) { return m.neg(m.floor(m.neg(in[0]))); }},
        {"truncate", [](Math& m, const Node&, Operands in) { return m.truncate(in[0]); }},
        {"erf", [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).erf(in[0]); }},
        {"atan", [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).atan(in[0]); }},
        {"asinh", [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).asinh(in[0]); }},
        {"acosh", [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).acosh(in[0]); }},
        {"atanh", [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).atanh(in[0]); }},
        {"gelu_erf",
         [](Math& m, const Node&, Operands in) {
             if (!m.precise()) return m.one("gelu", in[0]);
             const ValueId gate = m.add(DeviceFunctions(m).erf(m.scaled(in[0], 1 / std::numbers::sqrt2)), m.real(1));
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
        {"greater", [](Math& m, const Node&, Operands in) { return m.above(m.sub(in[0], in[1])); }},
        {"less", [](Math& m, const Node&, Operands in) { return m.above(m.sub(in[1], in[0])); }},
        {"greater_equal", [](Math& m, const Node&, Operands in) { return m.complement(m.above(m.sub(in[1], in[0]))); }},
        {"less_equal", [](Math& m, const Node&, Operands in) { return m.complement(m.above(m.sub(in[0], in[1]))); }},
        {"equal",
         [](Math& m, const Node&, Operands in) {
             for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
                 if (const double beyond = m.infinite(in[k]); beyond != 0) return m.is_beyond(in[1 - k], beyond);
             return m.complement(m.above(m.one("abs", m.sub(in[0], in[1]))));
         }},
        {"where",
         [](Math& m, const Node& node, Operands in) {
             const bool no_first = splat(m, in[1]) == 0.0, no_second = splat(m, in[2]) == 0.0;
             const ValueId first = m.mul(in[0], m.finite(in[1]));
             if (no_second && m.build().dims(first) == node.type.dims) return first;
             const ValueId second = m.mul(m.complement(in[0]), m.finite(in[2]));
             if (no_first && m.build().dims(second) == node.type.dims) return second;
             return m.add(first, second);
         }},
    };
    return table;
}

void run_decompose_elementwise(Graph& graph, const PassOptions& options) {
    IntegerIndices whole;
    static const std::set<std::string_view> rounding{"round", "floor", "ceil", "truncate", "quantize"};
    rewrite(graph, [&](Builder& build, const Node& node, Operands in) -> std::optional<ValueId> {
        const auto recipe = recipes().find(node.op);
        if (recipe == recipes().end() || node.has("exact")) return std::nullopt;
        if (node.op == "cast" && node.type.dtype != DType::Bool && whole.is_whole(build, in[0])) {
            Attrs attrs = node.attrs;
            attrs["exact"] = std::int64_t{1};
            return build.add("cast", {in[0]}, attrs);
        }
        Math math(build, options);
        // Arithmetic is on floats; the result gets its element type back.
        std::vector<ValueId> floats;
        for (const ValueId id : in) floats.push_back(build.literal(id) ? build.cast(id, DType::F32) : id);
        ValueId result = recipe->second(math, node, node.op == "cast" ? in : Operands(floats));
        if (build.type(result).dtype != node.type.dtype)
            result = build.add("cast", {result},
                               {{"to", std::string(to_string(node.type.dtype))}, {"exact", std::int64_t{1}}});
        if (rounding.contains(node.op)) whole.note(result);
        return result;
    });
}

}  // namespace

extern const Pass decompose_elementwise;
const Pass decompose_elementwise{.name = "decompose-elementwise",
                                 .summary = "comparisons, rounding, division, powers, erf, atan from device ops",
                                 .run = run_decompose_elementwise};

}  // namespace ttsim::impl::ir
