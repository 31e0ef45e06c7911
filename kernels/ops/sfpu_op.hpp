// Builds an SFPU op with one operand from two functions of an element: golden in double, and the simulator's in
// float32, which share no code.
// extern constexpr OpDef op_tanh = sfpu_op({.name = "tanh", .summary = "Hyperbolic tangent", .golden =
// sfpu::golden<[](double x) { return std::tanh(x); }>, .block = sfpu::block<vec::tanh>});
#pragma once

#include "kernels/ops/attributes.hpp"
#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/golden_eltwise.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

namespace sfpu {

void check(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out);

// --- golden: double arithmetic, elementwise --------------------------------------------------------------------

/// Whether element (r, c) is in the part of its tile selected by `vector`.
bool in_vector_part(const OpConfig& op, std::int64_t r, std::int64_t c);
/// Whether `vector` selects whole tiles.
bool selects_whole_tiles(const OpConfig& op);

template <class F>
Tensor golden_map(const OpConfig& op, std::span<const Tensor* const> in, F f) {
    const GoldenOperand x(op, in, 0);
    if (selects_whole_tiles(op) && x.row(0, 0) != nullptr)
        return golden_map_of(
            op, [&](float value) { return static_cast<float>(f(double{value})); }, x);
    return golden_elements(op, [&](std::int64_t z, std::int64_t r, std::int64_t c) {
        const float value = x.at(z, r, c);
        if (!x.covers(r, c) || !in_vector_part(op, r, c)) return value;
        return static_cast<float>(f(double{value}));
    });
}
/// value: double(double)
template <auto value>
Tensor golden(const OpConfig& op, std::span<const Tensor* const> in) {
    return golden_map(op, in, [](double x) { return value(x); });
}

// --- the simulator: the part of each tile that is computed, then rounding to Dst ----------------------------------

/// Computed rows and columns of each tile.
struct Part {
    std::int64_t rows, cols;
};
Part computed_part(const OpConfig& op);

/// Copies the operand and calls work(pointer, count) in place on its computed elements.
template <class Work>
void run(const BlockArgs& args, Work work) {
    const OpConfig& op = args.op;
    copy_tiles(args.in[0].slices[0], operand_tile(op, 0), args.out, op.tile);
    const Part part = computed_part(op);
    for_tile_parts(args.out, op.tile, part.rows, part.cols, work);
    if (rounds_to_formats(args.numerics)) round_to_dest(op.acc_df, args.out);
}
template <class F>
void run_each(const BlockArgs& args, F f) {
    run(args, [f](float* x, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) x[i] = f(x[i]);
    });
}
/// value: float(float), inline and branch-free for vectorization.
template <auto value>
void block(const BlockArgs& args) {
    run_each(args, [](float x) { return value(x); });
}

// --- bounds -------------------------------------------------------------------------------------------------------

/// Constant bounds, for any operand.
template <int low, int high>
ValueRange range_of_any(const OpAttributes&, std::span<const ValueRange>) {
    return {low, high};
}
/// Applies range: ValueRange(ValueRange) to bounded operands; unbounded otherwise.
template <auto range>
ValueRange range_of_bounded(const OpAttributes&, std::span<const ValueRange> in) {
    return in[0].is_bounded() ? range(in[0]) : ValueRange::unbounded();
}

}  // namespace sfpu

inline constexpr AttrDef sfpu_attributes[] = {attr_vector, attr_approximate_mode, attr_sfpu_execution_thread};

/// Sets the fields shared by all SFPU ops.
constexpr OpDef sfpu_op(OpDef op) {
    op.op_class = OpClass::Sfpu;
    if (op.attributes.empty()) op.attributes = sfpu_attributes;
    if (op.check == nullptr) op.check = sfpu::check;
    op.use = use_eltwise;
    op.by_slice = op.sfpu = op.fusable = true;
    return op;
}

}  // namespace ttsim::impl
