// The one-operand ops of the vector unit: registry records and golden. Block functions: ops/sfpu_block.cpp.
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "kernels/ops/attributes.hpp"
#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/golden_eltwise.hpp"
#include "kernels/ops/sfpu_block.hpp"

namespace tt {

static void check(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (operands_complete(op)) check_eltwise_shapes(op, out);
}
static void check_dropout(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) {
    check(op, chip, out);
    if (!(op.attr.p >= 0.0 && op.attr.p <= 1.0)) {
        out.error(op.loc, "p of '{}' is {}; a probability must lie in 0..1", op.name, op.attr.p);
    }
}

// --- golden: double arithmetic, datum by datum
// ------------------------------------------------------------------------

/// Is datum (r, c) in the part of its tile that `vector` names?
static bool in_vector_part(const OpConfig& op, std::int64_t r, std::int64_t c) {
    if (op.tile.h <= 16 || op.tile.w <= 16) return true;
    switch (op.attr.vector.value_or(VectorMode::RC)) {
        case VectorMode::R:
            return r % op.tile.h < 4;
        case VectorMode::C:
            return c % op.tile.w < 16;
        case VectorMode::RC:
            return true;
    }
    return true;
}

template <class F>
static Tensor golden_map(const OpConfig& op, std::span<const Tensor* const> in, F f) {
    const GoldenOperand x(op, in, 0);
    return golden_datums(op, [&](std::int64_t z, std::int64_t r, std::int64_t c) {
        const float value = x.at(z, r, c);
        if (!x.covers(r, c) || !in_vector_part(op, r, c)) return value;
        return static_cast<float>(f(double{value}));
    });
}

static constexpr double float_epsilon = std::numeric_limits<float>::epsilon();

static double golden_gelu_gate(double x) {
    return 0.5 * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
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

template <auto value>
static Tensor golden(const OpConfig& op, std::span<const Tensor* const> in) {
    return golden_map(op, in, [](double x) { return value(x); });
}
static Tensor golden_power(const OpConfig& op, std::span<const Tensor* const> in) {
    const auto exponent = static_cast<double>(op.attr.exp);
    return golden_map(op, in, [exponent](double x) { return std::pow(x, exponent); });
}
static Tensor golden_lrelu(const OpConfig& op, std::span<const Tensor* const> in) {
    const double slope = op.attr.slope;
    return golden_map(op, in, [slope](double x) { return x > 0.0 ? x : slope * x; });
}
static Tensor golden_dropout(const OpConfig& op, std::span<const Tensor* const> in) {
    std::mt19937 generator;
    std::uniform_real_distribution<double> draw;
    const double p = op.attr.p;
    const double scale = p < 1.0 ? 1.0 / (1.0 - p) : 1.0;
    return golden_map(op, in, [&](double x) { return draw(generator) < p ? 0.0 : x * scale; });
}

// --- records
// ----------------------------------------------------------------------------------------------------------

static constexpr AttrDef plain[] = {attr_vector, attr_approximate_mode, attr_sfpu_execution_thread};
static constexpr AttrDef with_exponent[] = {
    attr_vector,
    attr_approximate_mode,
    attr_sfpu_execution_thread,
    {.name = "exp", .kind = AttrKind::Integer, .default_text = "0", .meaning = "the exponent", .low = attr_lowest}};
static constexpr AttrDef with_slope[] = {attr_vector,
                                         attr_approximate_mode,
                                         attr_sfpu_execution_thread,
                                         {.name = "slope",
                                          .kind = AttrKind::Number,
                                          .default_text = "0.01",
                                          .meaning = "factor for negative values",
                                          .low = attr_lowest}};
static constexpr AttrDef with_probability[] = {
    attr_vector,
    attr_approximate_mode,
    attr_sfpu_execution_thread,
    {.name = "p",
     .kind = AttrKind::Number,
     .default_text = "0",
     .meaning = "probability that a datum becomes 0; the others are scaled by 1/(1-p)",
     .low = 0,
     .high = 1},
    {.name = "seed",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "seed of the generator",
     .low = 0,
     .high = (std::int64_t{1} << 32) - 1}};

using GoldenFunction = Tensor (*)(const OpConfig&, std::span<const Tensor* const>);
using BlockFunction = void (*)(const BlockArgs&);

static constexpr OpDef sfpu_op(std::string_view name, std::string_view summary, GoldenFunction golden_function,
                               BlockFunction block, std::span<const AttrDef> attributes = plain) {
    return {.name = name,
            .summary = summary,
            .op_class = OpClass::Sfpu,
            .attributes = attributes,
            .check = check,
            .golden = golden_function,
            .use = use_eltwise,
            .prepare = nullptr,
            .block = block,
            .by_slice = true,
            .sfpu = true,
            .fusable = true};
}

extern constexpr OpDef op_exp =
    sfpu_op("exp", "e^x, at most the largest finite float", golden<exp_value>, sfpu::block_exp);
extern constexpr OpDef op_log =
    sfpu_op("log", "Natural logarithm; 0 counts as the float epsilon", golden<log_value>, sfpu::block_log);
extern constexpr OpDef op_sqrt = sfpu_op("sqrt", "Square root; negative values give NaN",
                                         golden<[](double x) { return std::sqrt(x); }>, sfpu::block_sqrt);
extern constexpr OpDef op_reciprocal =
    sfpu_op("reciprocal", "1/x; 0 counts as the float epsilon", golden<reciprocal_value>, sfpu::block_reciprocal);
extern constexpr OpDef op_sigmoid = sfpu_op("sigmoid", "1 / (1 + e^-x)", golden<sigmoid_value>, sfpu::block_sigmoid);
extern constexpr OpDef op_tanh =
    sfpu_op("tanh", "Hyperbolic tangent", golden<[](double x) { return std::tanh(x); }>, sfpu::block_tanh);
extern constexpr OpDef op_sine =
    sfpu_op("sine", "Sine of an angle in radians", golden<[](double x) { return std::sin(x); }>, sfpu::block_sine);
extern constexpr OpDef op_cosine = sfpu_op("cosine", "Cosine of an angle in radians",
                                           golden<[](double x) { return std::cos(x); }>, sfpu::block_cosine);
extern constexpr OpDef op_abs =
    sfpu_op("abs", "Magnitude", golden<[](double x) { return std::fabs(x); }>, sfpu::block_abs);
extern constexpr OpDef op_square =
    sfpu_op("square", "x times x", golden<[](double x) { return x * x; }>, sfpu::block_square);
extern constexpr OpDef op_power =
    sfpu_op("power", "x to a whole exponent", golden_power, sfpu::block_power, with_exponent);
extern constexpr OpDef op_gelu =
    sfpu_op("gelu", "x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))", golden<gelu_value>, sfpu::block_gelu);
extern constexpr OpDef op_gelu_derivative =
    sfpu_op("gelu_derivative", "(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2 + x e^(-x^2/2) / sqrt(2 pi)",
            golden<gelu_derivative_value>, sfpu::block_gelu_derivative);
extern constexpr OpDef op_lrelu =
    sfpu_op("lrelu", "x where positive, else slope times x", golden_lrelu, sfpu::block_lrelu, with_slope);
extern const OpDef op_dropout{.name = "dropout",
                              .summary = "Sets datums to 0 at random and scales the others",
                              .op_class = OpClass::Sfpu,
                              .attributes = with_probability,
                              .check = check_dropout,
                              .golden = golden_dropout,
                              .use = use_eltwise,
                              .prepare = nullptr,
                              .block = sfpu::block_dropout,
                              .sfpu = true,
                              .fusable = true};

}  // namespace tt
