#include "kernels/ops/products.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/exact/block.hpp"
#include "kernels/exact/fpu.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/ops/eltwise.hpp"
#include "kernels/vector_math.hpp"

namespace ttsim::impl {

int significand_bits(DataFormat format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
        case DataFormat::Float16:
            return 11;  // Float32 is Tf32 in the source registers
        case DataFormat::Float16_b:
            return 8;
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
            return 7;
        case DataFormat::Lf8:
            return 3;
        case DataFormat::Fp8_e4m3:
            return 4;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
            return 3;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
            return 1;
        case DataFormat::Int8:
        case DataFormat::UInt8:
        case DataFormat::Int32:
        case DataFormat::UInt16:
        case DataFormat::RawUInt8:
        case DataFormat::RawUInt16:
        case DataFormat::RawUInt32:
        case DataFormat::Invalid:
            return 0;
    }
    return 0;
}

namespace {

/// HiFi3 omits low x low products; only then is there something to subtract.
bool has_low_products(const OpConfig& op) {
    return op.fidelity == Fidelity::HiFi3 && significand_bits(op.in_df[0]) > 7 && significand_bits(op.in_df[1]) > 5;
}

void subtract_low_products(ConstMatrixView in0, ConstMatrixView in1, MatrixView sums) {
    std::vector<float> memory(static_cast<std::size_t>(in0.rows * in0.cols + in1.rows * in1.cols));
    const MatrixView low0{memory.data(), in0.rows, in0.cols, in0.cols};
    const MatrixView low1{memory.data() + in0.rows * in0.cols, in1.rows, in1.cols, in1.cols};
    low_part(SrcPort::B, in0, low0);
    low_part(SrcPort::A, in1, low1);
    for (std::int64_t i = 0; i < in0.rows * in0.cols; ++i) low0.data[i] = -low0.data[i];
    gemm(low0, low1, sums, true);
}

/// As the FPU: adds row 0 of each bias tile to the partial sums, which are read from L1 through SrcA.
void add_bias_exactly(const OpConfig& op, ConstMatrixView bias, TileDim bias_tile, MatrixView sums) {
    pack_from_dest(op.acc_df, op.intermed_df, sums);
    unpack_to_src(op.intermed_df, op.acc_df, sums);
    const exact::FpuConfig config = exact::fpu_config(op.intermed_df, op.acc_df, op.chip);
    const auto width = static_cast<std::size_t>(sums.cols);
    for (std::int64_t r = 0; r < sums.rows; ++r) {
        const std::span<float> row(sums.row(r), width);
        exact::add(config, exact::AddKind::Add, false, row, {bias.row(r / op.tile.h * bias_tile.h), width}, row);
    }
}

bool bias_needs_exact(const BlockArgs& args, ConstMatrixView bias) {
    const DataFormat acc = args.op.acc_df;
    return args.numerics == Numerics::Exact ||
           (args.numerics == Numerics::Real && (exceeds_range(acc, bias) || exceeds_range(acc, args.out)));
}

void add_bias(const OpConfig& op, ConstMatrixView bias, TileDim bias_tile, MatrixView sums) {
    const bool full_tile = is_integer(op.in_df[0]);
    for (std::int64_t r = 0; r < sums.rows; ++r) {
        const auto* from = bias.row(full_tile ? r : r / op.tile.h * bias_tile.h);
        auto* to = sums.row(r);
        for (std::int64_t c = 0; c < sums.cols; ++c) to[c] += from[c];
    }
}

/// The SFPU's multiply-add after an integer product: nearly exact in double, rounded by the caller.
void scale(const OpConfig& op, ConstMatrixView factors, MatrixView sums) {
    const double zero = op.attr.zero_point;
    for (std::int64_t r = 0; r < sums.rows; ++r) {
        const auto* factor = factors.row(r);
        auto* x = sums.row(r);
        for (std::int64_t c = 0; c < sums.cols; ++c)
            x[c] = static_cast<float>(op.attr.requant ? double{x[c]} * factor[c] + zero : (x[c] - zero) * factor[c]);
    }
}

/// As the op gelu.
void gelu(MatrixView values) {
    for (std::int64_t r = 0; r < values.rows; ++r)
        for (float* x = values.row(r); x != values.row(r) + values.cols; ++x) *x = vec::gelu(*x);
}

}  // namespace

TileDim product_tile(const OpConfig& op, std::size_t operand) {
    const auto inner = std::max(op.in_tile[0].w, op.in_tile[1].h);
    if (operand == 0) return {op.tile.h, inner};
    if (operand == 1) return {inner, op.tile.w};
    return op.attr.identity && operand == 2 ? TileDim{} : op.tile;
}

PaddedArgs::PaddedArgs(const BlockArgs& args) : args_(args) {
    const OpConfig& op = args.op;
    bool needs_no_padding = true;
    for (std::size_t k = 0; k < args.in.size(); ++k)
        needs_no_padding = needs_no_padding && op.in_tile[k] == product_tile(op, k);
    if (needs_no_padding) return;
    op_ = op;
    for (std::size_t k = 0; k < args.in.size(); ++k) {
        const auto from = op.in_tile[k], to = product_tile(op, k);
        auto& views = views_.emplace_back();
        for (const auto& slice : args.in[k].slices) {
            auto& padded = storage_.emplace_back(1, slice.rows / from.h * to.h, slice.cols / from.w * to.w);
            copy_tiles(slice, from, padded.slice(0), to);
            views.push_back(padded.slice(0));
        }
        operands_.push_back({views});
        op_->in_tile[k] = to;
    }
    padded_args_.emplace(BlockArgs{.op = *op_,
                                   .numerics = args.numerics,
                                   .core_r = args.core_r,
                                   .core_c = args.core_c,
                                   .slice = args.slice,
                                   .input = args.input,
                                   .in = operands_,
                                   .previous = args.previous,
                                   .out = args.out});
}

void multiply(const OpConfig& op, Numerics numerics, ConstMatrixView in0, ConstMatrixView in1, MatrixView sums,
              bool accumulate) {
    if (numerics == Numerics::Exact) {
        if (!accumulate) for_each_element(sums, [](std::uint32_t) { return 0U; });
        return exact::product(op.in_df[0], op.acc_df, op.fidelity, op.chip, op.in_tile[0].w, in0, in1, sums);
    }
    gemm(in0, in1, sums, accumulate);
    if (rounds_to_formats(numerics) && has_low_products(op)) subtract_low_products(in0, in1, sums);
}

void round_dest(const OpConfig& op, Numerics numerics, MatrixView sums) {
    if (numerics == Numerics::Exact && !is_integer(op.acc_df)) return;  // Dst is already rounded
    if (rounds_to_formats(numerics))
        round_to_dest(op.acc_df, sums);
    else if (is_integer(op.acc_df))
        saturate_to_integer(op.acc_df, sums);
}

void spill(const OpConfig& op, Numerics numerics, MatrixView sums) {
    const bool lossless = op.intermed_df == op.acc_df || op.intermed_df == DataFormat::Float32;
    if (!rounds_to_formats(numerics) || lossless) return;
    if (is_integer(op.acc_df)) return pack_from_dest(op.acc_df, op.intermed_df, sums);
    exact::spill_and_reload(op.acc_df, op.intermed_df, sums);
}

void PartialSums::add_in_l1(MatrixView block) {
    if (!is_integer(op_.acc_df)) {
        round_dest(op_, numerics_, block);
        pack_from_dest(op_.acc_df, op_.intermed_df, block);
        if (!in_l1_) pack_from_dest(op_.acc_df, op_.intermed_df, sums_);
        in_l1_ = true;
        return exact::add_in_l1(op_.intermed_df, block, sums_);
    }
    round_dest(op_, numerics_, block);
    spill(op_, numerics_, block);
    spill(op_, numerics_, sums_);
    for (std::int64_t r = 0; r < sums_.rows; ++r)
        for (std::int64_t c = 0; c < sums_.cols; ++c) sums_.at(r, c) += block.at(r, c);
    pack_from_dest(is_integer(op_.acc_df) ? op_.acc_df : DataFormat::Float32, op_.intermed_df, sums_);
}

void multiply_with_fallback(const BlockArgs& args, const std::function<bool(Numerics)>& run) {
    if (run(args.numerics)) return;
    for_each_element(args.out, [](std::uint32_t) { return 0U; });
    run(Numerics::Exact);
}

bool in_range(const OpConfig& op, Numerics numerics, ConstMatrixView sums) {
    return numerics != Numerics::Real || info(op.acc_df).family != FormatFamily::A || !exceeds_range(op.acc_df, sums);
}

DoubleSums::DoubleSums(MatrixView out)
    : out_(out), sums_(static_cast<std::size_t>(out.rows * out.cols)), part_(sums_.size()) {}

void DoubleSums::add_product(ConstMatrixView in0, ConstMatrixView in1) {
    constexpr std::int64_t chain_length = 64;
    const MatrixView part{part_.data(), out_.rows, out_.cols, out_.cols};
    for (std::int64_t k = 0; k < in0.cols; k += chain_length) {
        const auto length = std::min(chain_length, in0.cols - k);
        gemm(in0.sub(0, k, in0.rows, length), in1.sub(k, 0, length, in1.cols), part, false);
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += part_[i];
    }
}

void DoubleSums::store() const {
    for (std::int64_t r = 0; r < out_.rows; ++r)
        for (std::int64_t c = 0; c < out_.cols; ++c)
            out_.at(r, c) = static_cast<float>(sums_[static_cast<std::size_t>(r * out_.cols + c)]);
}

void product_epilogue(const BlockArgs& args, std::size_t next) {
    const OpConfig& op = args.op;
    if (op.attr.bias) {
        if (!is_integer(op.acc_df) && bias_needs_exact(args, args.in[next].slices[0])) {
            add_bias_exactly(op, args.in[next].slices[0], op.in_tile[next], args.out);
        } else {
            spill(op, args.numerics, args.out);
            if (args.numerics == Numerics::Real) unpack_to_src(op.intermed_df, op.acc_df, args.out);
            add_bias(op, args.in[next].slices[0], op.in_tile[next], args.out);
            round_dest(op, args.numerics, args.out);
        }
        ++next;
    }
    if (op.attr.requant || op.attr.dequant) {
        scale(op, args.in[next].slices[0], args.out);
        if (op.attr.requant) saturate_to_integer(DataFormat::Int8, args.out);
    }
    if (op.attr.sfpu_gelu) {
        gelu(args.out);
        if (rounds_to_formats(args.numerics)) round_to_dest(op.acc_df, args.out);
    }
}

void prepare_product(const OpConfig& op, int operand, Numerics numerics, MatrixView values) {
    // Scales of requantization are written to Dst directly, as Float32.
    const bool is_scale = (op.attr.requant || op.attr.dequant) && static_cast<std::size_t>(operand) + 1 == op.in.size();
    if (numerics == Numerics::Float32 || is_scale) return;
    const auto format = op.in_df[static_cast<std::size_t>(operand)];
    unpack_to_src(format, op.acc_df, values);
    if (numerics == Numerics::Exact || operand >= 2 || is_integer(format)) return;
    // The FPU treats infinity as the number 2^128: its product with zero is zero, and its sums are finite.
    const std::uint32_t mask = operand_mask(op.fidelity, operand == 0 ? SrcPort::B : SrcPort::A);
    for_each_element(values, [mask](std::uint32_t b) {
        return min_magnitude(b & mask & ~sign_bit, infinity_bits - 1) | (b & sign_bit);
    });
}

TileRect own_rect(const OpConfig& op, std::int64_t core_r, std::int64_t core_c) {
    const auto& out = op.out;
    return {core_r * out.core_rt(), core_c * out.core_ct(), out.core_rt(), out.core_ct()};
}

OperandUse own_rect_at_end(const OpConfig& op, std::int64_t core_r, std::int64_t core_c) {
    OperandUse use;
    use.rects = {own_rect(op, core_r, core_c)};
    use.chunks = OperandUse::Chunks::One;
    use.at_end = true;
    use.clear_tiles = op.out.ublock_tiles();
    return use;
}

}  // namespace ttsim::impl
