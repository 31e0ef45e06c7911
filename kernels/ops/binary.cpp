// add, subtract, multiply, maximum.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/exact/fpu.hpp"
#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/golden_eltwise.hpp"

namespace ttsim::impl {

// --- rules --------------------------------------------------------------------------------------------------------

static bool is_float(DataFormat f) { return !is_integer(f) && !is_raw(f); }

static void check_binary(const OpConfig& op, bool takes_int32, Diagnostics& out) {
    if (!operands_complete(op)) return;
    check_eltwise_shapes(op, out);
    check_same_tile_dim(op, out);
    for (std::size_t k = 0; k < 2; ++k) {
        if (op.in_df[k] == DataFormat::Int32 && !takes_int32) {
            out.error(op.loc, "in_df[{}] of '{}' is Int32; {} takes Int8 or UInt8", k, op.name, op.type);
        }
    }
    if (is_float(op.in_df[0]) != is_float(op.in_df[1])) {
        out.error(op.loc, "inputs of '{}' are {} and {}; both must be integers or both floats", op.name,
                  to_string(op.in_df[0]), to_string(op.in_df[1]));
    }
}
static void check_any_integer(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    check_binary(op, true, out);
}
static void check_8bit_integer(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    check_binary(op, false, out);
}

// --- golden -------------------------------------------------------------------------------------------------------

template <class F>
static Tensor golden_pairs(const OpConfig& op, std::span<const Tensor* const> in, F f) {
    return golden_map_of(op, f, GoldenOperand(op, in, 0), GoldenOperand(op, in, 1));
}
/// As golden_pairs(), on integers stored as bits (integer_bits.hpp).
static Tensor golden_integers(const OpConfig& op, std::span<const Tensor* const> in,
                              std::int64_t (*f)(std::int64_t, std::int64_t)) {
    return golden_pairs(op, in, [f](float a, float b) {
        constexpr std::int64_t limit = 2147483647;
        const std::int64_t sum = f(std::bit_cast<std::int32_t>(a), std::bit_cast<std::int32_t>(b));
        return std::bit_cast<float>(static_cast<std::int32_t>(std::clamp(sum, -limit, limit)));
    });
}
static Tensor golden_add(const OpConfig& op, std::span<const Tensor* const> in) {
    if (keeps_integers(op)) return golden_integers(op, in, [](std::int64_t a, std::int64_t b) { return a + b; });
    return golden_pairs(op, in, [](float a, float b) { return a + b; });
}
static Tensor golden_subtract(const OpConfig& op, std::span<const Tensor* const> in) {
    return golden_pairs(op, in, [](float a, float b) { return a - b; });
}
static Tensor golden_multiply(const OpConfig& op, std::span<const Tensor* const> in) {
    return golden_pairs(op, in, [](float a, float b) {
        if (a == 0.0F || b == 0.0F) return 0.0F;
        return a * b;
    });
}
static Tensor golden_maximum(const OpConfig& op, std::span<const Tensor* const> in) {
    if (keeps_integers(op))
        return golden_integers(op, in, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
    return golden_pairs(op, in, [](float a, float b) { return std::max(a, b); });
}

// --- block --------------------------------------------------------------------------------------------------------

/// Calls row(out, a, b, n) on matching rows of both operands. Elements outside an operand's smaller tiles stay zero.
template <class Row>
static void for_row_pairs(const BlockArgs& args, ConstMatrixView a, ConstMatrixView b, Row row) {
    const TileDim from = operand_tile(args.op, 0), to = args.op.tile;
    const std::int64_t w = std::min(from.w, to.w);
    for (std::int64_t r = 0; r < args.out.rows; ++r) {
        if (r % to.h >= from.h) continue;
        const std::int64_t source = r / to.h * from.h + r % to.h;
        if (from.w == to.w) {
            row(args.out.row(r), a.row(source), b.row(source), args.out.cols);
            continue;
        }
        for (std::int64_t tile = 0; tile < args.out.cols / to.w; ++tile) {
            row(args.out.row(r) + tile * to.w, a.row(source) + tile * from.w, b.row(source) + tile * from.w, w);
        }
    }
}

/// Runs the FPU's op on matching rows: in0 in SrcA, in1 in SrcB, into an empty Dst.
template <class Op>
static void exact_pairs(const BlockArgs& args, Op op) {
    const exact::FpuConfig config = exact::fpu_config(args.op.in_df[0], args.op.acc_df, args.op.chip);
    for_row_pairs(args, args.in[0].slices[0], args.in[1].slices[0],
                  [&](float* out, const float* a, const float* b, std::int64_t n) {
                      const auto count = static_cast<std::size_t>(n);
                      op(config, std::span(a, count), std::span(b, count), std::span(out, count));
                  });
}
static void exact_add(const BlockArgs& args, exact::AddKind kind) {
    exact_pairs(args,
                [kind](const auto& config, auto a, auto b, auto out) { exact::add(config, kind, false, a, b, out); });
}
static void exact_multiply(const BlockArgs& args) {
    exact_pairs(args, [&](const auto& config, auto a, auto b, auto out) {
        std::fill(out.begin(), out.end(), 0.0F);  // the FPU adds to Dst
        exact::multiply(config, phases(args.op.fidelity), a, b, out);
    });
}

/// Runs the fast variant if it differs from the FPU only by rounding, the exact one otherwise.
template <class Fast, class Exact>
static void run_fast_or_exact(const BlockArgs& args, Fast fast, Exact exact) {
    const bool floats = !is_integer(args.op.acc_df);
    if (args.numerics == Numerics::Exact && floats) return exact();
    fast();
    if (args.numerics == Numerics::Real && floats && exceeds_range(args.op.acc_df, args.out)) exact();
}

static void finish_dest(const BlockArgs& args) {
    if (rounds_to_formats(args.numerics)) round_to_dest(args.op.acc_df, args.out);
}

template <class F>
static void block_pairs(const BlockArgs& args, F f) {
    for_row_pairs(args, args.in[0].slices[0], args.in[1].slices[0],
                  [f](float* out, const float* a, const float* b, std::int64_t n) {
                      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
                  });
    finish_dest(args);
}
/// Calls row(out, a, b, count) on integer operands stored as bits; false if the op does not keep integers.
static bool run_on_integers(const BlockArgs& args, void (*row)(float*, const float*, const float*, std::int64_t)) {
    if (keeps_integers(args.op)) for_row_pairs(args, args.in[0].slices[0], args.in[1].slices[0], row);
    return keeps_integers(args.op);
}
static void block_add(const BlockArgs& args) {
    if (run_on_integers(args, add_integers)) return;
    run_fast_or_exact(
        args, [&] { block_pairs(args, [](float a, float b) { return a + b; }); },
        [&] { exact_add(args, exact::AddKind::Add); });
}
static void block_subtract(const BlockArgs& args) {
    run_fast_or_exact(
        args, [&] { block_pairs(args, [](float a, float b) { return a - b; }); },
        [&] { exact_add(args, exact::AddKind::Subtract); });
}
static void block_maximum(const BlockArgs& args) {
    if (run_on_integers(args, max_integers)) return;
    block_pairs(args, [](float a, float b) { return b > a ? b : a; });
}

static float product(float a, float b) {
    const float p = a * b;
    return (a == 0.0F) | (b == 0.0F) ? 0.0F : p;
}

/// HiFi3 omits the product of both low parts: subtract it.
static void subtract_low_products(const BlockArgs& args) {
    constexpr std::int64_t width = 512;
    std::array<float, width> low_a{}, low_b{};
    for_row_pairs(args, args.in[0].slices[0], args.in[1].slices[0],
                  [&](float* out, const float* a, const float* b, std::int64_t n) {
                      for (std::int64_t start = 0; start < n; start += width) {
                          const std::int64_t count = std::min(width, n - start);
                          low_part(SrcPort::A, {a + start, 1, count, count}, {low_a.data(), 1, count, count});
                          low_part(SrcPort::B, {b + start, 1, count, count}, {low_b.data(), 1, count, count});
                          for (std::int64_t i = 0; i < count; ++i) {
                              const auto k = static_cast<std::size_t>(i);
                              out[start + i] -= product(low_a[k], low_b[k]);
                          }
                      }
                  });
}

static void fast_multiply(const BlockArgs& args) {
    for_row_pairs(args, args.in[0].slices[0], args.in[1].slices[0],
                  [](float* out, const float* a, const float* b, std::int64_t n) {
                      for (std::int64_t i = 0; i < n; ++i) out[i] = product(a[i], b[i]);
                  });
    if (rounds_to_formats(args.numerics) && args.op.fidelity == Fidelity::HiFi3 &&
        args.op.acc_df != DataFormat::Int32) {
        subtract_low_products(args);
    }
    finish_dest(args);
}
static void block_multiply(const BlockArgs& args) {
    run_fast_or_exact(
        args, [&] { fast_multiply(args); }, [&] { exact_multiply(args); });
}

/// For element-wise ops, in0 is in SrcA and in1 in SrcB.
static void prepare_multiply(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    const DataFormat format = op.in_df[static_cast<std::size_t>(operand)];
    if (!rounds_to_formats(numerics) || is_integer(format)) return;
    unpack_to_src(format, op.acc_df, values);
    if (numerics == Numerics::Exact) return;
    mask_operand(op.fidelity, operand == 0 ? SrcPort::A : SrcPort::B, values);
}

// --- bounds of results --------------------------------------------------------------------------------------------

/// Applies `range` to bounded operands; unbounded otherwise.
template <auto range>
static ValueRange range_of_bounded(const OpAttributes&, std::span<const ValueRange> in) {
    return in[0].is_bounded() && in[1].is_bounded() ? range(in[0], in[1]) : ValueRange::unbounded();
}
static ValueRange sum_range(ValueRange a, ValueRange b) { return {a.low + b.low, a.high + b.high}; }
static ValueRange difference_range(ValueRange a, ValueRange b) { return {a.low - b.high, a.high - b.low}; }
static ValueRange maximum_range(ValueRange a, ValueRange b) {
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
}
static ValueRange product_range(ValueRange a, ValueRange b) {
    const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return {low, high};
}
/// The device multiplies by 0 exactly, for any other operand.
static ValueRange multiply_range(const OpAttributes& attr, std::span<const ValueRange> in) {
    return in[0].is_zero() || in[1].is_zero() ? ValueRange{} : range_of_bounded<product_range>(attr, in);
}

// --- records ------------------------------------------------------------------------------------------------------

extern const OpDef op_add{.name = "add",
                          .summary = "in0 + in1, elementwise",
                          .op_class = OpClass::Binary,
                          .min_inputs = 2,
                          .max_inputs = 2,
                          .attributes = {},
                          .check = check_any_integer,
                          .golden = golden_add,
                          .use = use_eltwise,
                          .prepare = nullptr,
                          .block = block_add,
                          .by_slice = true,
                          .integer_capable = true,
                          .gradient_if_any_op = true,
                          .fusable = true,
                          .bit_true = true,
                          .range = range_of_bounded<sum_range>,
                          .chain_cycles = 1,
                          .keeps_sign = true};
extern const OpDef op_subtract{.name = "subtract",
                               .summary = "in0 - in1, elementwise",
                               .op_class = OpClass::Binary,
                               .min_inputs = 2,
                               .max_inputs = 2,
                               .attributes = {},
                               .check = check_8bit_integer,
                               .golden = golden_subtract,
                               .use = use_eltwise,
                               .prepare = nullptr,
                               .block = block_subtract,
                               .by_slice = true,
                               .integer_capable = true,
                               .gradient_if_any_op = true,
                               .fusable = true,
                               .bit_true = true,
                               .range = range_of_bounded<difference_range>,
                               .chain_cycles = 1,
                               .error_amplifying = true};
extern const OpDef op_multiply{.name = "multiply",
                               .summary = "in0 * in1, elementwise; exactly 0 where either is 0",
                               .op_class = OpClass::Binary,
                               .min_inputs = 2,
                               .max_inputs = 2,
                               .attributes = {},
                               .check = check_8bit_integer,
                               .golden = golden_multiply,
                               .use = use_eltwise,
                               .prepare = prepare_multiply,
                               .block = block_multiply,
                               .by_slice = true,
                               .integer_capable = true,
                               .gradient_on_all_chips = true,
                               .fusable = true,
                               .bit_true = true,
                               .range = multiply_range,
                               .chain_cycles = 1,
                               .keeps_sign = true};
extern const OpDef op_maximum{.name = "maximum",
                              .summary = "The larger of in0 and in1, elementwise",
                              .op_class = OpClass::SfpuBinary,
                              .min_inputs = 2,
                              .max_inputs = 2,
                              .attributes = {},
                              .check = check_any_integer,
                              .golden = golden_maximum,
                              .use = use_eltwise,
                              .prepare = nullptr,
                              .block = block_maximum,
                              .by_slice = true,
                              .integer_capable = true,
                              .gradient_if_any_op = true,
                              .fusable = true,
                              .range = range_of_bounded<maximum_range>,
                              .keeps_sign = true};

}  // namespace ttsim::impl
