// Branch-free elementary functions in float32 that compilers vectorize: no calls, no tables. Polynomials after Cephes
// (S. Moshier); relative error about 2e-7. For the simulator; golden uses <cmath>.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ttsim::impl::vec {

inline constexpr float largest = std::numeric_limits<float>::max();
inline constexpr float epsilon = std::numeric_limits<float>::epsilon();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// 2^n for n in -126..127.
inline float power_of_two(std::int32_t n) { return std::bit_cast<float>((n + 127) << 23); }

/// Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
inline constexpr float round_bias = 12582912.0F;

/// e^x, at most the largest finite float.
inline float exp(float x) {
    float y = x > 88.73F ? 88.73F : x;
    y = y < -104.0F ? -104.0F : y;
    const float biased = y * 1.44269504088896341F + round_bias;
    const float n = biased - round_bias;
    const std::int32_t k = std::bit_cast<std::int32_t>(biased) - std::bit_cast<std::int32_t>(round_bias);
    float r = y - n * 0.693359375F;
    r = r - n * -2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * (r * r) + r + 1.0F;
    // In two steps, so that denormal results and 2^128 are correct.
    const std::int32_t half = k >> 1;
    float e = p * power_of_two(half) * power_of_two(k - half);
    e = e > largest ? largest : e;
    return x == x ? e : x;
}

/// ln x; 0 counts as epsilon, negative values give NaN.
inline float log(float x) {
    float y = x == 0.0F ? epsilon : x;
    const bool tiny = y < std::numeric_limits<float>::min();
    y = tiny ? y * 8388608.0F : y;
    const std::int32_t bits = std::bit_cast<std::int32_t>(y);
    // m in [sqrt(1/2), sqrt(2)), y = m * 2^e
    const std::int32_t shifted = bits - 0x3f3504f3;
    const std::int32_t exponent = shifted >> 23;
    const float m = std::bit_cast<float>((shifted & 0x007fffff) + 0x3f3504f3);
    const float e = static_cast<float>(exponent) - (tiny ? 23.0F : 0.0F);
    const float f = m - 1.0F;
    const float f2 = f * f;
    float p = 7.0376836292e-2F;
    p = p * f - 1.1514610310e-1F;
    p = p * f + 1.1676998740e-1F;
    p = p * f - 1.2420140846e-1F;
    p = p * f + 1.4249322787e-1F;
    p = p * f - 1.6668057665e-1F;
    p = p * f + 2.0000714765e-1F;
    p = p * f - 2.4999993993e-1F;
    p = p * f + 3.3333331174e-1F;
    float result = p * f * f2 + e * -2.12194440e-4F;
    result = result - 0.5F * f2;
    result = f + result;
    result = result + e * 0.693359375F;
    result = x > largest ? x : result;
    return x >= 0.0F ? result : not_a_number;
}

/// 1 / (1 + e^-x), accurate at both ends.
inline float sigmoid(float x) {
    const float e = exp(-std::fabs(x));
    const float d = 1.0F / (1.0F + e);
    return x < 0.0F ? e * d : d;
}

inline float tanh(float x) {
    const float a = std::fabs(x);
    const float x2 = x * x;
    float p = -5.70498872745e-3F;
    p = p * x2 + 2.06390887954e-2F;
    p = p * x2 - 5.37397155531e-2F;
    p = p * x2 + 1.33314422036e-1F;
    p = p * x2 - 3.33332819422e-1F;
    const float near_zero = p * x2 * x + x;
    const float far = 1.0F - 2.0F / (exp(2.0F * a) + 1.0F);
    const float signed_far = x < 0.0F ? -far : far;
    return a < 0.625F ? near_zero : signed_far;
}

/// 0.5 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3): gelu(x) = x * gelu_gate(x), free of cancellation.
inline float gelu_gate(float x) { return sigmoid(1.5957691216057308F * (x + 0.044715F * x * x * x)); }
inline float gelu(float x) { return x * gelu_gate(x); }
inline float gelu_derivative(float x) { return gelu_gate(x) + x * 0.3989422804014327F * exp(-0.5F * x * x); }

/// sin(x + quarter * pi/2) for |x| up to about 1e9.
inline float sine_from(float x, std::int32_t quarter) {
    constexpr double bias = 6755399441055744.0;  // 1.5 * 2^52
    const double wide = x;
    const double biased = wide * 0.63661977236758134 + bias;
    const double n = biased - bias;
    const auto r = static_cast<float>((wide - n * 1.5707963267341256) - n * 6.0771005065061922e-11);
    // The low bits of the sum hold n as an integer.
    const auto k =
        static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(biased)) + static_cast<std::uint32_t>(quarter);
    const float z = r * r;
    float s = -1.9515295891e-4F;
    s = s * z + 8.3321608736e-3F;
    s = s * z - 1.6666654611e-1F;
    s = s * z * r + r;
    float c = 2.443315711809948e-5F;
    c = c * z - 1.388731625493765e-3F;
    c = c * z + 4.166664568298827e-2F;
    c = c * z * z - 0.5F * z + 1.0F;
    const float value = (k & 1U) != 0U ? c : s;
    return (k & 2U) != 0U ? -value : value;
}

}  // namespace ttsim::impl::vec
