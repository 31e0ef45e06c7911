// SFPU ops with one operand and an additional attribute: power, lrelu, dropout.
#include <algorithm>
#include <cmath>

#include "kernels/ops/dropout_mask.hpp"
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

static std::int64_t rows_of_slice(const OpConfig& op) {
    return op.random.rows > 0 ? op.random.rows : op.out.shape().rt * op.tile.h;
}

static Tensor golden_dropout(const OpConfig& op, std::span<const Tensor* const> in) {
    const double p = op.attr.p, scale = DropoutMask::scale(p);
    const DropoutMask mask(p, op.attr.seed, op.random.input);
    const std::int64_t rows = rows_of_slice(op);
    const GoldenOperand x(op, in, 0);
    return golden_elements(op, [&](std::int64_t z, std::int64_t r, std::int64_t c) {
        const float value = x.at(z, r, c);
        if (!x.covers(r, c) || !sfpu::in_vector_part(op, r, c)) return value;
        const bool keeps = mask.keeps(mask.row_key(z * rows + op.random.row + r), op.random.col + c);
        return keeps ? static_cast<float>(value * scale) : 0.0F;
    });
}

static void block_dropout(const BlockArgs& args) {
    const OpConfig& op = args.op;
    const auto scale = static_cast<float>(DropoutMask::scale(op.attr.p));
    const DropoutMask mask(op.attr.p, op.attr.seed, args.input);
    copy_tiles(args.in[0].slices[0], operand_tile(op, 0), args.out, op.tile);
    const sfpu::Part part = sfpu::computed_part(op);
    const std::int64_t first_row = args.slice * rows_of_slice(op) + args.core_r * args.out.rows;
    const std::int64_t first_col = args.core_c * args.out.cols;
    for (std::int64_t r = 0; r < args.out.rows; ++r) {
        if (r % op.tile.h >= part.rows) continue;
        const std::uint32_t key = mask.row_key(first_row + r);
        float* const row = args.out.row(r);
        for (std::int64_t c = 0; c < args.out.cols; ++c)
            if (c % op.tile.w < part.cols) row[c] = mask.keeps(key, first_col + c) ? row[c] * scale : 0.0F;
    }
    if (rounds_to_formats(args.numerics)) round_to_dest(op.acc_df, args.out);
}

static ValueRange dropout_range(const OpAttributes& attr, std::span<const ValueRange> in) {
    if (!in[0].is_bounded()) return ValueRange::unbounded();
    const double scale = DropoutMask::scale(attr.p);
    return {std::min(0.0, in[0].low * scale), std::max(0.0, in[0].high * scale)};
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
                              .random = true,
                              .range = dropout_range,
                              .keeps_sign = true};

}  // namespace ttsim::impl
