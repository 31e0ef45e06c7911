// Shared by the product ops (dense, sparse, depthwise) in the simulator: products at a math fidelity, partial sums
// between Dst and L1, and the steps after the last k-block.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

/// Significand bits of a format, including the hidden bit; 0 for integers and raw formats.
int significand_bits(DataFormat format);

/// sums (+)= in0 * in1 by the phases of op.fidelity; operands must be prepared.
void multiply(const OpConfig& op, Numerics numerics, ConstMatrixView in0, ConstMatrixView in1, MatrixView sums,
              bool accumulate);

/// Tile size that a product needs: in0 h x k and in1 k x w for h x w results; operands 0 and 2 of a sparse product have
/// 32x32. Operands with other tiles are padded with zeros.
TileDim product_tile(const OpConfig& op, std::size_t operand);

/// Block arguments with all operands padded to the tile size of the product.
class PaddedArgs {
public:
    explicit PaddedArgs(const BlockArgs& args);
    PaddedArgs(const PaddedArgs&) = delete;
    PaddedArgs& operator=(const PaddedArgs&) = delete;
    const BlockArgs& get() const { return op_ ? *padded_args_ : args_; }

private:
    const BlockArgs& args_;
    std::optional<OpConfig> op_;
    std::optional<BlockArgs> padded_args_;
    std::deque<Tensor> storage_;
    std::deque<std::vector<ConstMatrixView>> views_;
    std::vector<BlockOperand> operands_;
};

/// Rounds sums that leave Dst to acc_df.
void round_dest(const OpConfig& op, Numerics numerics, MatrixView sums);

/// Stores partial sums to L1 in intermed_df and reloads them.
void spill(const OpConfig& op, Numerics numerics, MatrixView sums);

/// Whether the sums of fast math equal the FPU's up to rounding (always true for other modes). With 5-bit exponents,
/// Dst saturates in between and later sums return into range; see exceeds_range().
bool in_range(const OpConfig& op, Numerics numerics, ConstMatrixView sums);

/// Calls run(numerics), which writes the products to the empty args.out and returns whether they stayed in range. If
/// not, they are recomputed with exact math, since the FPU's order of additions matters.
void multiply_with_fallback(const BlockArgs& args, const std::function<bool(Numerics)>& run);

/// Nearly exact sums (--numerics float32): short products in float, summed in double.
class DoubleSums {
public:
    explicit DoubleSums(MatrixView out);
    void add_product(ConstMatrixView in0, ConstMatrixView in1);
    void store() const;

private:
    MatrixView out_;
    std::vector<double> sums_;
    std::vector<float> part_;
};

/// Accumulates k-blocks: spilled and reloaded between blocks, or added in L1 by the packer (l1_acc).
class PartialSums {
public:
    PartialSums(const BlockArgs& args, Numerics numerics) : op_(args.op), numerics_(numerics), sums_(args.out) {}
    /// Adds a k-block: `product(to, accumulate)` stores its products in `to` or adds them.
    template <class Product>
    void add(Product product) {
        if (first_ || !op_.attr.l1_acc || numerics_ == Numerics::Float32) {
            if (!first_) spill(op_, numerics_, sums_);
            product(sums_, true);
            note_range(sums_);
            round_dest(op_, numerics_, sums_);
        } else {
            scratch_.resize(static_cast<std::size_t>(sums_.rows * sums_.cols));
            const MatrixView block{scratch_.data(), sums_.rows, sums_.cols, sums_.cols};
            product(block, false);
            note_range(block);
            add_in_l1(block);
        }
        first_ = false;
    }
    bool all_in_range() const { return in_range_ && in_range(op_, numerics_, sums_); }

private:
    void add_in_l1(MatrixView block);
    /// Infinities persist until the end; saturation (5-bit exponents) must be detected at once.
    void note_range(ConstMatrixView sums) {
        if (info(op_.acc_df).family == FormatFamily::A) in_range_ = in_range_ && in_range(op_, numerics_, sums);
    }
    const OpConfig& op_;
    Numerics numerics_;
    MatrixView sums_;
    bool first_ = true, in_l1_ = false, in_range_ = true;
    std::vector<float> scratch_;
};

/// The steps after the last k-block: bias (operand `next`, row 0 of each tile to every row of the tile; integers: the
/// full tile), requantization (the operand after it), gelu.
void product_epilogue(const BlockArgs& args, std::size_t next);

/// Unpack conversion and fidelity mask: operand 0 is in SrcB, operand 1 in SrcA, others are not multiplied.
void prepare_product(const OpConfig& op, int operand, Numerics numerics, MatrixView values);

/// The part of a bias or scale operand that core (i, j) needs: its output rectangle, with the last k-block.
OperandUse own_rect_at_end(const OpConfig& op, std::int64_t core_r, std::int64_t core_c);
TileRect own_rect(const OpConfig& op, std::int64_t core_r, std::int64_t core_c);

}  // namespace ttsim::impl
