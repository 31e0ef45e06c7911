// decompose-elementwise: writes elementwise ops that the device lacks as ops that it has.
//
//   a > b      above (a - b), 0 or 1, exact for every difference that the format can represent
//   round x    |x| bit by bit: r = min(|x|, 2^n); for k = n - 1 .. 0: r -= clamp((r - 2^k) * 1e30, 0, 2^k);
//              the rest r is in (0, 1], and |x| + (0 or 1) - r is an integer. Each step is exact in every format, and
//              so is the result, since no format holds fractions from 2^n on. floor, ceil and truncate choose 0 or 1
//              by other rules
//   quantize   round, plus the zero point, clamped to limits. With 16-bit formats, on chips with quantizing ops, it is
//              such an op (round_int8), which rounds half away from 0: ties there mostly come from earlier rounding
//   cast       to integers: truncate x; integers stay unchanged
//   a / b      a * (1 / b);  integers: floor((|a| + 0.5) / |b|), corrected by the remainder: exact while the
//              format holds the integers
//   max(x, 0)  relu x;  min(max(x, 0), c) relu_max x, which the packer computes
//   others     sign, erf, atan and similar, powers of any sign: device_functions.hpp
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
          fp16_quantizers_(uses_fp16_quantizers(options)) {}

    ValueId number(double value, ValueId like) { return build_.scalar(value, build_.type(like).dtype); }
    ValueId real(double value) { return build_.scalar(value); }
    ValueId unary(OpId op, ValueId x, Attrs attrs = {}) { return build_.add(op, {x}, std::move(attrs)); }
    ValueId binary(OpId op, ValueId a, ValueId b) { return build_.add(op, {a, b}); }
    ValueId add(ValueId a, ValueId b) { return binary(op::add, a, b); }
    ValueId sub(ValueId a, ValueId b) { return binary(op::subtract, a, b); }
    ValueId mul(ValueId a, ValueId b) { return binary(op::multiply, a, b); }
    ValueId scaled(ValueId x, double factor) { return mul(x, real(factor)); }
    /// A difference, not a product with -1: the multiplier reads 10 of Float16's 11 bits of a first operand.
    ValueId neg(ValueId x) { return sub(real(0), x); }
    /// `height` where x > 0, else 0. Valid for differences that are 0 or of magnitude 1e-30 to 1e8; above() handles
    /// others. A 5-bit exponent has no number as large as 1e30.
    ValueId step(ValueId x, double height = 1) {
        const auto clamped = [&](ValueId v) { return unary(op::relu_max, v, {attr::threshold(height)}); };
        if (in_quantizer_) return clamped(scaled(x, 0x1p15));  // no difference is smaller than 2^-11 of the threshold
        if (info(df_).family != FormatFamily::A) return clamped(scaled(x, 1e30));
        return clamped(scaled(clamped(scaled(x, 0x1p15)), 0x1p15));
    }
    ValueId complement(ValueId x) { return sub(real(1), x); }

    double infinity_substitute() const { return static_cast<double>(finite_infinity(df_)); }
    ValueId finite(ValueId x) {
        const Literal* known = build_.literal(x);
        const auto infinite = [](float v) { return std::isinf(v); };
        if (!known || std::none_of(known->floats().begin(), known->floats().end(), infinite)) return x;
        Literal made = *known;
        for (float& v : made.floats())
            if (std::isinf(v)) v = static_cast<float>(std::copysign(infinity_substitute(), v));
        return build_.constant(std::move(made));
    }
    /// The sign of a constant with only infinite elements of that sign, else 0.
    double infinite(ValueId x) const {
        const Literal* known = build_.literal(x);
        if (!known || !is_float(known->dtype()) || !known->is_splat() || !std::isinf(known->at(0))) return 0;
        return std::copysign(1.0, known->at(0));
    }
    ValueId is_beyond(ValueId x, double sign) {
        return above(sign > 0 ? sub(x, real(infinity_substitute() / 2)) : sub(real(-infinity_substitute() / 2), x));
    }

    /// Of |x|: its distance to the next smaller integer, in (0, 1], or 0 for 0; and whether that integer is odd.
    struct Fraction {
        ValueId size, fraction, odd;
    };
    Fraction fraction_of(ValueId x, int bits) {
        const ValueId size = is_below_zero_nowhere(x) ? x : unary(op::abs, x);
        const double most = std::ldexp(1.0, bits);
        const Node& maker = build_.graph().nodes[size];
        const bool small = maker.op == op::relu_max && maker.get(attr::threshold) <= most;
        ValueId rest = small ? size : unary(op::relu_max, size, {attr::threshold(most)}), bit = rest;
        for (int k = bits - 1; k >= 0; --k) {
            const double weight = std::ldexp(1.0, k);
            bit = step(sub(rest, real(weight)), weight);
            rest = sub(rest, bit);
        }
        return {size, rest, bit};
    }
    /// |x| with its fraction replaced by `up`, 0 or 1.
    ValueId replaced(const Fraction& p, ValueId up) { return add(p.size, sub(up, p.fraction)); }
    ValueId is_one(ValueId fraction) { return complement(step(sub(real(1), fraction))); }

    /// Half to even.
    ValueId round(ValueId x) { return round(x, integer_bits()); }
    ValueId round(ValueId x, int bits) {
        const Fraction p = fraction_of(x, bits);
        const ValueId above = step(sub(p.fraction, real(0.5))), below = step(sub(real(0.5), p.fraction));
        const ValueId size = replaced(p, binary(op::maximum, above, mul(p.odd, complement(below))));
        return is_below_zero_nowhere(x) ? size : mul(side(x), size);
    }
    bool is_below_zero_nowhere(ValueId x) const {
        const OpId op = build_.graph().nodes[x].op;
        return op.is_any_of({op::relu, op::relu_max, op::abs, op::sigmoid, op::exp});
    }
    /// Rounds x, which is divided by the scale already, adds the zero point `zero` and clamps to low..high.
    ValueId quantized(ValueId x, ValueId zero, double low, double high) {
        constexpr double most = 127;  // largest magnitude of Int8
        const Literal* known = build_.literal(zero);
        const bool is_splat = known && known->is_splat();
        const double shift = is_splat ? known->at(0) : 0;
        if (high - low > 2 * most + 1 || (!quantizes_ && !is_splat)) return limited(plus(round(x), zero), low, high);
        // Limits are integers, so clamping may precede rounding. Fewer bits are then left to round, and often no sign.
        if (!quantizes_) return rounded_by_bits(x, zero, low - shift, high - shift);
        const auto [y, scale] = is_splat ? unscaled(x) : std::pair(add(x, zero), real(1));
        const ValueId near = build_.add(op::round_int8, {y, scale}, {attr::offset(low + most), attr::zero(shift)});
        if (high - low == 2 * most) return near;
        if (high - low < 2 * most) return limited(near, low, high);
        const ValueId top = mul(real(high - shift - 0.5), inverse(scale));
        return add(near, step(sub(y, top)));  // Int8 has 255 values, this grid 256: adds the last one
    }
    /// The same with limits before the zero point is added. Formats of 5 exponent bits have more mantissa bits and
    /// fp16-quantizers may choose them here, so the result must be right with both exponents.
    ValueId rounded_by_bits(ValueId x, ValueId zero, double low, double high) {
        const double most = std::max({-low, high, 2.0});  // at least one bit, for the parity of round()
        const int bits = std::min(fp16_quantizers_ ? 8 : integer_bits(), static_cast<int>(std::ceil(std::log2(most))));
        if (fp16_quantizers_) build_.set_kind(std::string(fp16_quantizers));
        in_quantizer_ = fp16_quantizers_;
        const ValueId rounded = plus(round(limited(x, low, high), bits), zero);
        in_quantizer_ = false;
        if (fp16_quantizers_) build_.set_kind("quantize");
        return rounded;
    }
    /// Removes a positive constant scale, which the quantizing op applies itself. Returns the unscaled value and the
    /// scale.
    std::pair<ValueId, ValueId> unscaled(ValueId x) {
        const Node& node = build_.graph().nodes[x];
        if (node.op == op::multiply)
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
        if (low == 0) return unary(op::relu_max, x, {attr::threshold(high)});
        return minimum(binary(op::maximum, x, real(low)), real(high));
    }
    /// Rounds up in magnitude for negative numbers with a fraction, else truncates.
    ValueId floor(ValueId x) {
        const Fraction p = fraction_of(x, integer_bits());
        const ValueId negative = above(neg(x));
        const ValueId up = binary(op::maximum, is_one(p.fraction), mul(negative, above(p.fraction)));
        return mul(sign(x), replaced(p, up));
    }
    ValueId sign(ValueId x) {
        if (in_quantizer_) return sub(step(x), step(neg(x)));
        return DeviceFunctions(*this).sign(x);
    }
    ValueId above(ValueId x) { return DeviceFunctions(*this).above(x); }
    ValueId is_not_zero(ValueId x) { return above(unary(op::abs, x)); }
    /// The sign for |x| >= 1/4; for smaller ones a value between -1 and 1.
    ValueId side(ValueId x) { return in_quantizer_ ? sign(x) : DeviceFunctions(*this).side(x); }
    ValueId floor_of_size(ValueId x) {
        const Fraction p = fraction_of(x, integer_bits());
        return replaced(p, is_one(p.fraction));
    }
    ValueId truncate(ValueId x) { return mul(side(x), floor_of_size(x)); }
    ValueId inverse(ValueId x) { return unary(op::reciprocal, x); }
    /// a / b; in Float32 with one more Newton step.
    ValueId quotient(ValueId a, ValueId b) {
        const ValueId r = inverse(b), q = mul(a, r);
        if (!precise_ || exact_inverse(build_.literal(b))) return q;
        return add(q, mul(r, sub(a, mul(b, q))));
    }
    ValueId minimum(ValueId a, ValueId b) { return neg(binary(op::maximum, neg(a), neg(b))); }

    /// Quotient and remainder of integers |a| / |b|. The estimate adds half a step to stay away from integer
    /// boundaries. If the format's reciprocal is off by one, the remainder corrects it.
    std::pair<ValueId, ValueId> integer_division(ValueId a, ValueId b) {
        const ValueId top = unary(op::abs, a), below = unary(op::abs, b);
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
    /// From 2^n on the format holds integers only. In Float32 it is the limit up to which --numerics float32 rounds.
    int integer_bits() const {
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
    bool quantizes_;        ///< the chip has quantizing ops
    bool fp16_quantizers_;  ///< quantizers may use formats of 5 exponent bits
    bool in_quantizer_ = false;
};

/// Which values are integers for all inputs.
class IntegralValues {
public:
    void note(ValueId id) { known_[id] = true; }
    bool is_integral(const Builder& build, ValueId id) {
        if (const auto found = known_.find(id); found != known_.end()) return found->second;
        return known_[id] = looked_up(build, build.graph().nodes[id]);
    }

private:
    bool looked_up(const Builder& build, const Node& node) {
        static const std::set<OpId> integral_ops{op::add,        op::subtract,    op::multiply, op::maximum,
                                                 op::relu,       op::abs,         op::nop,      op::reshape,
                                                 op::transpose,  op::gather_rows, op::hslice,   op::hstack,
                                                 op::reduce_max, op::map_axis,    op::matmul,   op::gather_sum};
        if (!is_float(node.type.dtype)) return true;
        if (node.literal) return are_integral(*node.literal);
        if (node.op == op::relu_max && node.get(attr::threshold) != std::nearbyint(node.get(attr::threshold)))
            return false;
        if (node.op == op::cast && !node.has(attr::exact)) return is_integral(build, node.inputs[0].value);
        if (!integral_ops.contains(node.op) && node.op != op::relu_max && node.op != op::cast) return false;
        return std::all_of(node.inputs.begin(), node.inputs.end(),
                           [&](const Edge& edge) { return is_integral(build, edge.value); });
    }
    static bool are_integral(const Literal& literal) {
        const std::vector<float>& floats = literal.floats();
        return std::all_of(floats.begin(), floats.end(), [](float v) { return v == std::nearbyint(v); });
    }

    std::map<ValueId, bool> known_;
};

using Operands = std::span<const ValueId>;
using Recipe = ValueId (*)(Math&, const Node&, Operands);

ValueId divide(Math& m, const Node& node, Operands in) {
    if (is_float(node.type.dtype)) return m.quotient(in[0], in[1]);
    return m.mul(m.mul(m.sign(in[0]), m.sign(in[1])), m.integer_division(in[0], in[1]).first);
}

ValueId modulo(Math& m, const Node& node, Operands in) {
    const ValueId a = in[0], b = in[1];
    if (is_float(node.type.dtype)) {
        if (!node.get(attr::fmod)) return m.sub(a, m.mul(b, m.floor(m.mul(a, m.inverse(b)))));
        const ValueId top = m.unary(op::abs, a), below = m.unary(op::abs, b);
        return m.mul(m.sign(a), m.sub(top, m.mul(below, m.floor_of_size(m.mul(top, m.inverse(below))))));
    }
    const ValueId rest = m.mul(m.sign(a), m.integer_division(a, b).second);
    if (node.get(attr::fmod)) return rest;
    // the result has the sign of b: a remainder of the other sign is off by b
    return m.add(rest, m.mul(b, m.step(m.neg(m.mul(m.sign(rest), m.sign(b))))));
}

/// x^n for integer n by squaring.
ValueId integer_power(Math& m, ValueId x, std::int64_t n) {
    if (n == 1) return x;
    const ValueId half = integer_power(m, m.unary(op::square, x), n / 2);
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
        result = integer_power(m, in[0], static_cast<std::int64_t>(size));
        if (e < 0) result = m.inverse(result);
    } else if (known && size != std::floor(size)) {
        if (size == 0.5)
            result = m.unary(op::sqrt, in[0]);
        else if (size < 1 && !positive)
            result = DeviceFunctions(m).root(in[0], size);
        else
            result = m.unary(op::exp, m.scaled(m.unary(op::log, in[0]), size));
        if (e < 0) result = m.inverse(result);
    } else if (positive) {
        result = m.unary(op::exp, m.mul(m.unary(op::log, in[0]), in[1]));
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
        x = m.is_not_zero(x);
    else if (is_float(from) && !is_float(to))
        x = m.truncate(x);
    Attrs attrs = node.attrs;
    set(attrs, attr::exact, true);
    return m.build().add(op::cast, {x}, attrs);
}

ValueId elu(Math& m, const Node& node, Operands in) {
    const ValueId below = m.neg(m.unary(op::relu, m.neg(in[0])));
    return m.add(m.unary(op::relu, in[0]), m.scaled(m.sub(m.unary(op::exp, below), m.real(1)), node.get(attr::alpha)));
}

/// The value of a splat constant; nothing for others.
std::optional<double> splat(Math& m, ValueId id) {
    const Literal* literal = m.build().literal(id);
    return literal && literal->is_splat() ? std::optional(literal->at(0)) : std::nullopt;
}

/// max(x, 0) is a relu.
ValueId maximum(Math& m, const Node& node, Operands in) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
        if (splat(m, in[k]) == 0.0 && !m.build().literal(in[1 - k]) && m.build().dims(in[1 - k]) == node.type.dims)
            return m.unary(op::relu, in[1 - k]);
    return m.binary(op::maximum, in[0], in[1]);
}

/// min(relu x, c) is a relu_max.
ValueId minimum(Math& m, const Node&, Operands in) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const auto most = splat(m, in[k]);
        const Node& other = m.build().graph().nodes[in[1 - k]];
        if (most && *most > 0 && std::isfinite(*most) && other.op == op::relu)
            return m.unary(op::relu_max, other.inputs[0].value, {attr::threshold(*most)});
    }
    return m.minimum(in[0], in[1]);
}

const std::map<OpId, Recipe>& recipes() {
    static const std::map<OpId, Recipe> table{
        {op::neg, [](Math& m, const Node&, Operands in) { return m.neg(in[0]); }},
        {op::divide, divide},
        {op::modulo, modulo},
        {op::power, power},
        {op::cast, cast},
        {op::elu, elu},
        {op::minimum, minimum},
        {op::maximum, maximum},
        {op::sign, [](Math& m, const Node&, Operands in) { return m.sign(in[0]); }},
        {op::round, [](Math& m, const Node&, Operands in) { return m.round(in[0]); }},
        {op::quantize,
         [](Math& m, const Node& node, Operands in) {
             return m.quantized(in[0], in[1], node.get(attr::low), node.get(attr::high));
         }},
        {op::floor, [](Math& m, const Node&, Operands in) { return m.floor(in[0]); }},
        {op::ceil, [](Math& m, const Node&, Operands in) { return m.neg(m.floor(m.neg(in[0]))); }},
        {op::truncate, [](Math& m, const Node&, Operands in) { return m.truncate(in[0]); }},
        {op::erf, [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).erf(in[0]); }},
        {op::atan, [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).atan(in[0]); }},
        {op::asinh, [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).asinh(in[0]); }},
        {op::acosh, [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).acosh(in[0]); }},
        {op::atanh, [](Math& m, const Node&, Operands in) { return DeviceFunctions(m).atanh(in[0]); }},
        {op::gelu_erf,
         [](Math& m, const Node&, Operands in) {
             if (!m.precise()) return m.unary(op::gelu, in[0]);
             const ValueId gate = m.add(DeviceFunctions(m).erf(m.scaled(in[0], 1 / std::numbers::sqrt2)), m.real(1));
             return m.mul(m.scaled(in[0], 0.5), gate);
         }},
        {op::softplus,
         [](Math& m, const Node&, Operands in) {
             const ValueId small = m.unary(op::exp, m.neg(m.unary(op::abs, in[0])));
             return m.add(m.unary(op::relu, in[0]), m.unary(op::log, m.add(small, m.real(1))));
         }},
        {op::scale_gradient, [](Math&, const Node&, Operands in) { return in[0]; }},
        {op::not_, [](Math& m, const Node&, Operands in) { return m.complement(in[0]); }},
        {op::and_, [](Math& m, const Node&, Operands in) { return m.mul(in[0], in[1]); }},
        {op::or_, [](Math& m, const Node&, Operands in) { return m.binary(op::maximum, in[0], in[1]); }},
        {op::xor_, [](Math& m, const Node&, Operands in) { return m.unary(op::abs, m.sub(in[0], in[1])); }},
        {op::greater, [](Math& m, const Node&, Operands in) { return m.above(m.sub(in[0], in[1])); }},
        {op::less, [](Math& m, const Node&, Operands in) { return m.above(m.sub(in[1], in[0])); }},
        {op::greater_equal,
         [](Math& m, const Node&, Operands in) { return m.complement(m.above(m.sub(in[1], in[0]))); }},
        {op::less_equal, [](Math& m, const Node&, Operands in) { return m.complement(m.above(m.sub(in[0], in[1]))); }},
        {op::equal,
         [](Math& m, const Node&, Operands in) {
             for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
                 if (const double beyond = m.infinite(in[k]); beyond != 0) return m.is_beyond(in[1 - k], beyond);
             return m.complement(m.above(m.unary(op::abs, m.sub(in[0], in[1]))));
         }},
        {op::where,
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

/// Whether the op asks of the operand only whether it is 0. The recipes want 0 or 1 there.
bool reads_truth(const Node& node, std::size_t operand) {
    return node.op.is_any_of({op::not_, op::and_, op::or_, op::xor_}) || (node.op == op::where && operand == 0);
}

void run_decompose_elementwise(Graph& graph, const PassOptions& options) {
    IntegralValues integral;
    static const std::set<OpId> rounding{op::round, op::floor, op::ceil, op::truncate, op::quantize};
    rewrite(graph, [&](Builder& build, const Node& node, Operands in) -> std::optional<ValueId> {
        const auto recipe = recipes().find(node.op);
        if (recipe == recipes().end() || node.has(attr::exact)) return std::nullopt;
        if (node.op == op::cast && node.type.dtype != DType::Bool && integral.is_integral(build, in[0])) {
            Attrs attrs = node.attrs;
            set(attrs, attr::exact, true);
            return build.add(op::cast, {in[0]}, attrs);
        }
        Math math(build, options);
        // Arithmetic is in floats; the result is cast back to its element type.
        std::vector<ValueId> floats;
        for (std::size_t k = 0; k < in.size(); ++k) {
            const bool number = reads_truth(node, k) && build.type(in[k]).dtype != DType::Bool;
            if (build.literal(in[k]))
                floats.push_back(build.cast(number ? build.cast(in[k], DType::Bool) : in[k], DType::F32));
            else
                floats.push_back(number ? math.is_not_zero(in[k]) : in[k]);
        }
        ValueId result = recipe->second(math, node, node.op == op::cast ? in : Operands(floats));
        if (build.type(result).dtype != node.type.dtype)
            result =
                build.add(op::cast, {result}, {attr::to(std::string(to_string(node.type.dtype))), attr::exact(true)});
        if (rounding.contains(node.op)) integral.note(result);
        return result;
    });
}

}  // namespace

extern const Pass decompose_elementwise;
const Pass decompose_elementwise{.name = "decompose-elementwise",
                                 .summary = "comparisons, rounding, division, powers, erf, atan from device ops",
                                 .run = run_decompose_elementwise};

}  // namespace ttsim::impl::ir
