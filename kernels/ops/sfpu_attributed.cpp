// SFPU ops with one operand and an additional attribute: power, lrelu, dropout.
#include <cmath>
#include <random>

#include "kernels/ops/sfpu_op.hpp"

namespace ttsim::impl {

// --- power --------------------------------------------------------------------------------------------------------

static constexpr AttrDef with_exponent[] = {attr_vector,
                                            attr_approximate_mode,
                                            attr_sfpu_execution_thread,
                                            {.name = "exp",
                                             .kind = AttrKind::Integer,
                                             .default_text = "0",
                                             .meaning = "the exponent",
                                             .low = attr_lowest,
                                             .place = &at<&OpAttributes::exp>}};

static Tensor golden_power(const OpConfig& op, std::span<const Tensor* const> in) {
    const auto exponent = static_cast<double>(op.attr.exp);
    return sfpu::golden_map(op, in, [exponent](double x) { return std::pow(x, exponent); });
}

/// x^n by squaring, in double to limit rounding errors.
static void powers(float* x, std::int64_t n, std::int64_t exponent) {
    const bool inverse = exponent < 0;
    const auto magnitude = inverse ? 0 - static_cast<std::uint64_t>(exponent) : static_cast<std::uint64_t>(exponent);
    for (std::int64_t i = 0; i < n; ++i) {
        double result = 1.0, base = x[i];
        for (std::uint64_t rest = magnitude; rest != 0; rest >>= 1) {
            if ((rest & 1U) != 0) result *= base;
            base *= base;
        }
        x[i] = static_cast<float>(inverse ? 1.0 / result : result);
    }
}
static void block_power(const BlockArgs& args) {
    const std::int64_t exponent = args.op.attr.exp;
    sfpu::run(args, [exponent](float* x, std::int64_t n) { powers(x, n, exponent); });
}

extern constexpr OpDef op_power = sfpu_op({.name = "power",
                                           .summary = "x to the power of an integer",
                                           .attributes = with_exponent,
                                           .golden = golden_power,
                                           .block = block_power,
                                           .keeps_sign = true});

// --- lrelu --------------------------------------------------------------------------------------------------------

static constexpr AttrDef with_slope[] = {attr_vector,
                                         attr_approximate_mode,
                                         attr_sfpu_execution_thread,
                                         {.name = "slope",
                                          .kind = AttrKind::Number,
                                          .default_text = "0.01",
                                          .meaning = "factor for negative values",
                                          .low = attr_lowest,
                                          .place = &at<&OpAttributes::slope>}};

static Tensor golden_lrelu(const OpConfig& op, std::span<const Tensor* const> in) {
    const double slope = op.attr.slope;
    return sfpu::golden_map(op, in, [slope](double x) { return x > 0.0 ? x : slope * x; });
}
static void block_lrelu(const BlockArgs& args) {
    const auto slope = static_cast<float>(args.op.attr.slope);
    sfpu::run_each(args, [slope](float x) { return x > 0.0F ? x : slope * x; });
}
static ValueRange lrelu_range(const OpAttributes& attr, std::span<const ValueRange> in) {
    if (!in[0].is_bounded()) return ValueRange::unbounded();
    const double most = in[0].most() * std::max(1.0, std::fabs(attr.slope));
    return {-most, most};
}

extern constexpr OpDef op_lrelu = sfpu_op({.name = "lrelu",
                                           .summary = "x where positive, else slope times x",
                                           .attributes = with_slope,
                                           .golden = golden_lrelu,
                                           .block = block_lrelu,
                                           .range = lrelu_range,
                                           .keeps_sign = true});

// --- dropout ------------------------------------------------------------------------------------------------------

static constexpr AttrDef with_probability[] = {
    attr_vector,
    attr_approximate_mode,
    attr_sfpu_execution_thread,
    {.name = "p",
     .kind = AttrKind::Number,
     .default_text = "0",
     .meaning = "probability that an element becomes 0; the others are scaled by 1/(1-p)",
     .low = 0,
     .high = 1,
     .place = &at<&OpAttributes::p>},
    {.name = "seed",
     .kind = AttrKind::Integer,
     .default_text = "0",
     .meaning = "seed of the generator",
     .low = 0,
     .high = (std::int64_t{1} << 32) - 1,
     .place = &at<&OpAttributes::seed>}};

static Tensor golden_dropout(const OpConfig& op, std::span<const Tensor* const> in) {
    std::mt19937 generator;
    std::uniform_real_distribution<double> draw;
    const double p = op.attr.p;
    const double scale = p < 1.0 ? 1.0 / (1.0 - p) : 1.0;
    return sfpu::golden_map(op, in, [&](double x) { return draw(generator) < p ? 0.0 : x * scale; });
}

/// A 32-bit hash of a counter (two rounds of xor-shift and multiply).
static std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

static void block_dropout(const BlockArgs& args) {
    const double p = args.op.attr.p;
    const float scale = p < 1.0 ? static_cast<float>(1.0 / (1.0 - p)) : 1.0F;
    const auto limit = static_cast<std::uint64_t>(p * 4294967296.0);
    std::uint32_t key = mix(static_cast<std::uint32_t>(args.op.attr.seed) + 0x9e3779b9U);
    for (const std::int64_t part : {args.input, args.slice, args.core_r, args.core_c}) {
        key = mix(key ^ (static_cast<std::uint32_t>(part) * 0x85ebca6bU + 0xc2b2ae35U));
    }
    std::uint32_t counter = 0;
    sfpu::run(args, [&](float* x, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            const bool keep = mix(key + counter++ * 0x9e3779b9U) >= limit;
            x[i] = keep ? x[i] * scale : 0.0F;
        }
    });
}

extern const OpDef op_dropout{.name = "dropout",
                              .summary = "Sets elements to 0 at random and scales the others",
                              .op_class = OpClass::Sfpu,
                              .attributes = with_probability,
                              .check = sfpu::check,
                              .golden = golden_dropout,
                              .use = use_eltwise,
                              .block = block_dropout,
                              .sfpu = true,
                              .fusable = true,
                              .keeps_sign = true};

}  // namespace ttsim::impl
