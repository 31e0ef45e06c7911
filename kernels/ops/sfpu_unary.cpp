// SFPU ops with one operand and no additional attribute.
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/ops/sfpu_op.hpp"
#include "kernels/vector_math.hpp"

namespace ttsim::impl {

// --- golden -------------------------------------------------------------------------------------------------------

static constexpr double float_epsilon = std::numeric_limits<float>::epsilon();

/// (1 + tanh(u)) / 2, as a sigmoid: an exponential takes a third of the time of a hyperbolic tangent.
static double golden_gelu_gate(double x) {
    const double u = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return 1.0 / (1.0 + std::exp(-2.0 * u));
}
static double exp_value(double x) {
    return std::isnan(x) ? x : std::fmin(std::exp(x), std::numeric_limits<float>::max());
}
static double log_value(double x) { return std::log(x == 0.0 ? float_epsilon : x); }
static double reciprocal_value(double x) { return 1.0 / (x == 0.0 ? float_epsilon : x); }
static double sigmoid_value(double x) { return 1.0 / (1.0 + std::exp(-x)); }
static double gelu_value(double x) { return x * golden_gelu_gate(x); }
static double gelu_derivative_value(double x) {
    return golden_gelu_gate(x) + x * std::exp(-x * x / 2.0) / std::sqrt(2.0 * std::numbers::pi);
}

// --- the simulator ------------------------------------------------------------------------------------------------

static float reciprocal(float x) { return 1.0F / (x == 0.0F ? vec::epsilon : x); }

/// Sines of large angles need more bits of pi than the vectorized code has.
static void sines(float* x, std::int64_t n, std::int32_t quarter) {
    constexpr float limit = 1e8F;
    bool any_large = false;
    for (std::int64_t i = 0; i < n; ++i) any_large = any_large | !(std::fabs(x[i]) < limit);
    if (!any_large) {
        for (std::int64_t i = 0; i < n; ++i) x[i] = vec::sine_from(x[i], quarter);
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        if (std::fabs(x[i]) < limit)
            x[i] = vec::sine_from(x[i], quarter);
        else
            x[i] = static_cast<float>(quarter == 0 ? std::sin(double{x[i]}) : std::cos(double{x[i]}));
    }
}
template <std::int32_t quarter>
static void block_sine(const BlockArgs& args) {
    sfpu::run(args, [](float* x, std::int64_t n) { sines(x, n, quarter); });
}

// --- bounds of results, of bounded operands --------------------------------------------------------------------------

static ValueRange within_one(ValueRange) { return {-1, 1}; }
static ValueRange within_operand(ValueRange x) { return {-x.most(), x.most()}; }
static ValueRange exp_range(ValueRange x) {
    return x.high < 78 ? ValueRange{std::exp(x.low), std::exp(x.high)} : ValueRange::unbounded();
}
static ValueRange log_range(ValueRange x) {
    if (x.is_zero()) return ValueRange::of(-16);
    return x.low > 0 ? ValueRange{std::log(x.low), std::log(x.high)} : ValueRange::unbounded();
}
static ValueRange sqrt_range(ValueRange x) {
    return x.low >= 0 ? ValueRange{std::sqrt(x.low), std::sqrt(x.high)} : ValueRange::unbounded();
}
static ValueRange reciprocal_range(ValueRange x) {
    constexpr double of_zero = 8388608;  // the device divides by epsilon instead
    if (x.is_zero()) return ValueRange::of(of_zero);
    if (x.low > 0 || x.high < 0) return {1 / x.high, 1 / x.low};
    return ValueRange::unbounded();
}

// --- records ------------------------------------------------------------------------------------------------------

extern constexpr OpDef op_exp = sfpu_op({.name = "exp",
                                         .summary = "e^x, at most the largest finite float",
                                         .golden = sfpu::golden<exp_value>,
                                         .block = sfpu::block<vec::exp>,
                                         .range = sfpu::range_of_bounded<exp_range>,
                                         .chain_cycles = 30,
                                         .error_amplifying = true});
extern constexpr OpDef op_log = sfpu_op({.name = "log",
                                         .summary = "Natural logarithm; 0 counts as the float epsilon",
                                         .golden = sfpu::golden<log_value>,
                                         .block = sfpu::block<vec::log>,
                                         .range = sfpu::range_of_bounded<log_range>,
                                         .chain_cycles = 30,
                                         .error_amplifying = true,
                                         .needs_positive_operands = true});
extern constexpr OpDef op_sqrt = sfpu_op({.name = "sqrt",
                                          .summary = "Square root; negative values give NaN",
                                          .golden = sfpu::golden<[](double x) { return std::sqrt(x); }>,
                                          .block = sfpu::block<[](float x) { return std::sqrt(x); }>,
                                          .range = sfpu::range_of_bounded<sqrt_range>,
                                          .chain_cycles = 3,
                                          .error_amplifying = true,
                                          .keeps_sign = true,
                                          .needs_positive_operands = true});
extern constexpr OpDef op_reciprocal = sfpu_op({.name = "reciprocal",
                                                .summary = "1/x; 0 counts as the float epsilon",
                                                .golden = sfpu::golden<reciprocal_value>,
                                                .block = sfpu::block<reciprocal>,
                                                .range = sfpu::range_of_bounded<reciprocal_range>,
                                                .chain_cycles = 10,
                                                .error_amplifying = true,
                                                .keeps_sign = true});
extern constexpr OpDef op_sigmoid = sfpu_op({.name = "sigmoid",
                                             .summary = "1 / (1 + e^-x)",
                                             .golden = sfpu::golden<sigmoid_value>,
                                             .block = sfpu::block<vec::sigmoid>,
                                             .range = sfpu::range_of_any<0, 1>,
                                             .chain_cycles = 10});
extern constexpr OpDef op_tanh = sfpu_op({.name = "tanh",
                                          .summary = "Hyperbolic tangent",
                                          .golden = sfpu::golden<[](double x) { return std::tanh(x); }>,
                                          .block = sfpu::block<vec::tanh>,
                                          .range = sfpu::range_of_bounded<within_one>,
                                          .chain_cycles = 10,
                                          .keeps_sign = true});
extern constexpr OpDef op_sine = sfpu_op({.name = "sine",
                                          .summary = "Sine of an angle in radians",
                                          .golden = sfpu::golden<[](double x) { return std::sin(x); }>,
                                          .block = block_sine<0>,
                                          .range = sfpu::range_of_bounded<within_one>,
                                          .chain_cycles = 30,
                                          .error_amplifying = true});
extern constexpr OpDef op_cosine = sfpu_op({.name = "cosine",
                                            .summary = "Cosine of an angle in radians",
                                            .golden = sfpu::golden<[](double x) { return std::cos(x); }>,
                                            .block = block_sine<1>,
                                            .range = sfpu::range_of_bounded<within_one>,
                                            .chain_cycles = 30,
                                            .error_amplifying = true});
extern constexpr OpDef op_abs = sfpu_op({.name = "abs",
                                         .summary = "Magnitude",
                                         .golden = sfpu::golden<[](double x) { return std::fabs(x); }>,
                                         .block = sfpu::block<[](float x) { return std::fabs(x); }>,
                                         .range = sfpu::range_of_bounded<[](ValueRange x) -> ValueRange {
                                             return {0, x.most()};
                                         }>,
                                         .chain_cycles = 2});
extern constexpr OpDef op_square = sfpu_op({.name = "square",
                                            .summary = "x times x",
                                            .golden = sfpu::golden<[](double x) { return x * x; }>,
                                            .block = sfpu::block<[](float x) { return x * x; }>,
                                            .range = sfpu::range_of_bounded<[](ValueRange x) -> ValueRange {
                                                return {0, x.most() * x.most()};
                                            }>,
                                            .chain_cycles = 1,
                                            .error_amplifying = true});
extern constexpr OpDef op_gelu = sfpu_op({.name = "gelu",
                                          .summary = "x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))",
                                          .golden = sfpu::golden<gelu_value>,
                                          .block = sfpu::block<vec::gelu>,
                                          .range = sfpu::range_of_bounded<within_operand>,
                                          .chain_cycles = 3,
                                          .keeps_sign = true});
extern constexpr OpDef op_gelu_derivative =
    sfpu_op({.name = "gelu_derivative",
             .summary = "(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2 + x e^(-x^2/2) / sqrt(2 pi)",
             .golden = sfpu::golden<gelu_derivative_value>,
             .block = sfpu::block<vec::gelu_derivative>});

}  // namespace ttsim::impl
