// Elementwise functions and powers composed of device ops. Each is accurate over the full range of a format: no
// intermediate value overflows unless the result does, and small values keep their precision.
//
//   above x    clamp(x, 0, 1), twice times 2^100 and clamped again: 1 for the least number of a format, and no overflow
//   erf x      tanh(x p(x^2)). p is a least-squares fit weighted to minimize the largest relative error: 1e-7 in
//              Float32, 4e-6 with 5 exponent bits, 4e-4 in formats of 8 significant bits
//   atan x     t q(t^2) with t = |x| or 1 / |x|: Abramowitz and Stegun 4.4.49, 4.4.47 in formats of 16 bits
//   asinh x    for |x| <= 1: 2 atanh(x / (1 + sqrt(1 + x^2))) as a polynomial, error 4e-8, 3e-5 in formats of 16 bits;
//              for larger |x| it adds the increase of log |x| + log(1 + sqrt(1 + 1 / x^2)) since |x| = 1
//   acosh x    log x + log(1 + sqrt((1 + 1 / x) ((x - 1) / x)))
//   atanh x    asinh(x / sqrt((1 - x) (1 + x)))
//   x^y        exp(y log |x|), with the sign of x for odd y; 0^y is 0, 1 or the substitute for infinity
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "compiler/ir/builder.hpp"
#include "compiler/passes/signs.hpp"

namespace ttsim::impl::ir {

/// `Math`: arithmetic on values of a graph (decompose_elementwise.cpp).
template <class Math>
class DeviceFunctions {
public:
    explicit DeviceFunctions(Math& math) : m_(math) {}

    /// 1 where x > 0, else 0.
    ValueId above(ValueId x) {
        const double factor = m_.family() == FormatFamily::A ? 0x1p15 : 0x1p100;
        return within_one(m_.scaled(within_one(m_.scaled(within_one(x), factor)), factor));
    }
    ValueId sign(ValueId x) { return m_.sub(above(x), above(m_.neg(x))); }
    /// The same for |x| >= 1/4; for smaller ones a value between -1 and 1.
    ValueId side(ValueId x) {
        const auto half = [&](ValueId v) { return within_one(m_.scaled(within_one(v), 4)); };
        return m_.sub(half(x), half(m_.neg(x)));
    }

    ValueId erf(ValueId x) {
        static constexpr std::array fine{1.418521291e-07,  -5.668473396e-06, 8.763730971e-05, -6.197845992e-04,
                                         -1.918308887e-04, 1.027690558e-01,  1.128379274};
        static constexpr std::array medium{3.545470553e-05, -4.463484365e-04, -4.079373863e-04, 1.028519415e-01,
                                           1.128374955};
        static constexpr std::array coarse{0.100689112, 1.128781232};
        constexpr double far = 4;  // beyond that erf is at least 1 - 1.5e-8
        const ValueId near = m_.limited(x, -far, far), square = m_.unary(op::square, near);
        const ValueId factor = m_.precise()                     ? polynomial(square, fine)
                               : m_.family() == FormatFamily::A ? polynomial(square, medium)
                                                                : polynomial(square, coarse);
        return m_.unary(op::tanh, m_.mul(near, factor));
    }

    ValueId atan(ValueId x) {
        static constexpr std::array fine{0.0028662257,  -0.0161657367, 0.0429096138,
                                         -0.0752896400, 0.1065626393,  -0.1420889944,
                                         0.1999355085,  -0.3333314528, 1.0};
        static constexpr std::array coarse{0.0208351, -0.0851330, 0.1801410, -0.3302995, 0.9998660};
        const ValueId size = m_.unary(op::abs, x), inverse = m_.inverse(m_.binary(op::maximum, size, m_.real(1)));
        const ValueId square = m_.unary(op::square, m_.mul(within_one(size), inverse));
        const ValueId angle = m_.mul(inverse, m_.precise() ? polynomial(square, fine) : polynomial(square, coarse));
        const ValueId rest = m_.sub(m_.real(std::numbers::pi / 2), m_.scaled(angle, 2));
        const ValueId larger = m_.step(within_one(m_.sub(size, m_.real(1))));
        return m_.mul(m_.limited(x, -1, 1), m_.add(angle, m_.mul(larger, rest)));
    }

    ValueId asinh(ValueId x) {
        static constexpr std::array fine{0.3237198092, 0.2691510840, 0.4010593041, 0.6666433224, 2.0000000817};
        static constexpr std::array coarse{0.4870919466, 0.6607408882, 2.0000582421};
        const ValueId near = m_.limited(x, -1, 1), one = m_.real(1);
        const ValueId root = m_.unary(op::sqrt, m_.add(m_.unary(op::square, near), one));
        const ValueId t = m_.mul(near, m_.inverse(m_.add(root, one))), square = m_.unary(op::square, t);
        const ValueId small = m_.mul(t, m_.precise() ? polynomial(square, fine) : polynomial(square, coarse));
        const ValueId size = m_.binary(op::maximum, m_.unary(op::abs, x), one), inverse = m_.inverse(size);
        const ValueId factor = m_.add(m_.unary(op::sqrt, m_.add(m_.unary(op::square, inverse), one)), one);
        const ValueId at_one = m_.real(std::log(1 + std::numbers::sqrt2));
        const ValueId more = m_.add(m_.unary(op::log, size), m_.sub(m_.unary(op::log, factor), at_one));
        return m_.add(small, m_.mul(near, more));
    }

    ValueId acosh(ValueId x) {
        constexpr double far = 4096;  // beyond that the root is at least 1 - 3e-8
        const ValueId one = m_.real(1), near = m_.minimum(x, m_.real(far)), inverse = m_.inverse(near);
        const ValueId product = m_.mul(m_.add(inverse, one), m_.mul(m_.sub(near, one), inverse));
        return m_.add(m_.unary(op::log, x), m_.unary(op::log, m_.add(m_.unary(op::sqrt, product), one)));
    }

    ValueId atanh(ValueId x) {
        const ValueId one = m_.real(1), product = m_.mul(m_.sub(one, x), m_.add(one, x));
        return asinh(m_.mul(x, m_.inverse(m_.unary(op::sqrt, product))));
    }

    /// For a base of any sign.
    ValueId power(ValueId x, ValueId y) {
        const ValueId size = m_.unary(op::abs, x), there = above(size), zero = m_.complement(there);
        const ValueId negative = above(m_.neg(x));
        const ValueId magnitude = m_.mul(there, m_.unary(op::exp, m_.mul(m_.unary(op::log, size), y)));
        const ValueId beyond = m_.scaled(m_.mul(zero, above(m_.neg(y))), m_.infinity_substitute());
        const ValueId of_zero = m_.add(m_.mul(zero, is_zero(y)), beyond);
        const ValueId sign_factor = m_.sub(m_.real(1), m_.scaled(m_.mul(negative, odd(y)), 2));
        return m_.mul(m_.add(magnitude, of_zero), sign_factor);
    }
    /// x^y for x >= 0 and 0 < y < 1. The result is forced to 0 at x = 0, since the device's log 0 is not far enough
    /// below 0.
    ValueId root(ValueId x, double y) {
        return m_.mul(above(x), m_.unary(op::exp, m_.scaled(m_.unary(op::log, x), y)));
    }

private:
    ValueId within_one(ValueId x) { return m_.unary(op::relu_max, x, {attr::threshold(1.0)}); }
    /// Evaluates a polynomial by Horner's scheme; coefficients start with the highest power.
    ValueId polynomial(ValueId x, std::span<const double> coefficients) {
        ValueId sum = m_.real(coefficients.front());
        for (const double coefficient : coefficients.subspan(1)) sum = m_.add(m_.mul(sum, x), m_.real(coefficient));
        return sum;
    }
    /// 1 for 0, else 0.
    ValueId is_zero(ValueId y) { return m_.complement(above(m_.unary(op::abs, y))); }
    /// 1 for odd coefficients, 0 for others.
    ValueId odd(ValueId y) {
        if (const Literal* known = m_.build().literal(y)) {
            Literal flags(DType::F32, known->dims());
            for (std::int64_t k = 0; k < flags.size(); ++k)
                flags.set(k, std::fabs(std::fmod(known->at(k), 2)) == 1 ? 1 : 0);
            return m_.build().constant(std::move(flags));
        }
        const ValueId half = m_.scaled(y, 0.5);
        return m_.scaled(m_.sub(half, m_.floor(half)), 2);
    }

    Math& m_;
};

}  // namespace ttsim::impl::ir
