#include "kernels/ops/sfpu_block.hpp"

#include "kernels/ops/eltwise.hpp"
#include "kernels/vector_math.hpp"

namespace tt::sfpu {

namespace {

/// Rows and columns of each tile that are computed.
struct Part {
    std::int64_t rows, cols;
};

Part computed_part(const OpConfig& op) {
    const TileDim from = operand_tile(op, 0), to = op.tile;
    Part part{std::min(from.h, to.h), std::min(from.w, to.w)};
    const bool small = to.h <= 16 || to.w <= 16;
    if (small || !op.attr.vector) return part;
    if (*op.attr.vector == VectorMode::R) part.rows = std::min<std::int64_t>(part.rows, 4);
    if (*op.attr.vector == VectorMode::C) part.cols = std::min<std::int64_t>(part.cols, 16);
    return part;
}

/// work(pointer, count) in place on the computed datums of the copied operand.
template <class Work>
void run(const BlockArgs& args, Work work) {
    const OpConfig& op = args.op;
    copy_tiles(args.in[0].slices[0], operand_tile(op, 0), args.out, op.tile);
    const Part part = computed_part(op);
    for_tile_parts(args.out, op.tile, part.rows, part.cols, work);
    if (follows_formats(args.numerics)) round_to_dest(op.acc_df, args.out);
}

template <class F>
void run_each(const BlockArgs& args, F f) {
    run(args, [f](float* x, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) x[i] = f(x[i]);
    });
}

/// Sine of large angles needs more bits of pi than the vector code has.
void sines(float* x, std::int64_t n, std::int32_t quarter) {
    constexpr float limit = 1e8F;
    bool far = false;
    for (std::int64_t i = 0; i < n; ++i) far = far | !(std::fabs(x[i]) < limit);
    if (!far) {
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

/// x^n by squaring, in double so that rounding does not add up.
void powers(float* x, std::int64_t n, std::int64_t exponent) {
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

/// A well mixed 32-bit number for every counter value (two rounds of xor-shift and multiply).
std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

}  // namespace

void block_exp(const BlockArgs& args) {
    run_each(args, [](float x) { return vec::exp(x); });
}
void block_log(const BlockArgs& args) {
    run_each(args, [](float x) { return vec::log(x); });
}
void block_sqrt(const BlockArgs& args) {
    run_each(args, [](float x) { return std::sqrt(x); });
}
void block_reciprocal(const BlockArgs& args) {
    run_each(args, [](float x) { return 1.0F / (x == 0.0F ? vec::epsilon : x); });
}
void block_sigmoid(const BlockArgs& args) {
    run_each(args, [](float x) { return vec::sigmoid(x); });
}
void block_tanh(const BlockArgs& args) {
    run_each(args, [](float x) { return vec::tanh(x); });
}
void block_sine(const BlockArgs& args) {
    run(args, [](float* x, std::int64_t n) { sines(x, n, 0); });
}
void block_cosine(const BlockArgs& args) {
    run(args, [](float* x, std::int64_t n) { sines(x, n, 1); });
}
void block_abs(const BlockArgs& args) {
    run_each(args, [](float x) { return std::fabs(x); });
}
void block_square(const BlockArgs& args) {
    run_each(args, [](float x) { return x * x; });
}
void block_power(const BlockArgs& args) {
    const std::int64_t exponent = args.op.attr.exp;
    run(args, [exponent](float* x, std::int64_t n) { powers(x, n, exponent); });
}
void block_gelu(const BlockArgs& args) {
    run_each(args, [](float x) { return vec::gelu(x); });
}
void block_gelu_derivative(const BlockArgs& args) {
    run_each(args, [](float x) { return vec::gelu_derivative(x); });
}
void block_lrelu(const BlockArgs& args) {
    const auto slope = static_cast<float>(args.op.attr.slope);
    run_each(args, [slope](float x) { return x > 0.0F ? x : slope * x; });
}

void block_dropout(const BlockArgs& args) {
    const double p = args.op.attr.p;
    const float scale = p < 1.0 ? static_cast<float>(1.0 / (1.0 - p)) : 1.0F;
    const auto limit = static_cast<std::uint64_t>(p * 4294967296.0);
    std::uint32_t key = mix(static_cast<std::uint32_t>(args.op.attr.seed) + 0x9e3779b9U);
    for (const std::int64_t part : {args.input, args.slice, args.core_r, args.core_c}) {
        key = mix(key ^ (static_cast<std::uint32_t>(part) * 0x85ebca6bU + 0xc2b2ae35U));
    }
    std::uint32_t counter = 0;
    run(args, [&](float* x, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            const bool keep = mix(key + counter++ * 0x9e3779b9U) >= limit;
            x[i] = keep ? x[i] * scale : 0.0F;
        }
    });
}

}  // namespace tt::sfpu
