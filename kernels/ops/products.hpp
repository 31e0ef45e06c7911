// What the product ops (dense, sparse, depthwise) share in the simulator: products at a fidelity, the way partial
// sums take between Dst and L1, and the passes behind the last k-block.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

/// Significand bits of a format, the hidden one included; 0 of integers and raw formats.
int significand_bits(DataFormat format);

/// sums (+)= in0 * in1 as the phases of op.fidelity multiply prepared operands.
void multiply(const OpConfig& op, Numerics numerics, ConstMatrixView in0, ConstMatrixView in1, MatrixView sums,
              bool accumulate);

/// The tiles a product works with: in0 h x k and in1 k x w for h x w results; a sparse product has 32x32 tiles of
/// operands 0 and 2. Operands that arrive in other tiles are filled up with zeros.
TileDim product_tile(const OpConfig& op, std::size_t operand);

/// The arguments of a block with every operand in the tiles the product works with.
class FittedArgs {
public:
    explicit FittedArgs(const BlockArgs& args);
    FittedArgs(const FittedArgs&) = delete;
    FittedArgs& operator=(const FittedArgs&) = delete;
    const BlockArgs& get() const { return op_ ? *fitted_ : args_; }

private:
    const BlockArgs& args_;
    std::optional<OpConfig> op_;
    std::optional<BlockArgs> fitted_;
    std::deque<Tensor> memory_;
    std::deque<std::vector<ConstMatrixView>> views_;
    std::vector<BlockOperand> operands_;
};

/// Sums leave Dst: rounded to acc_df.
void leave_dest(const OpConfig& op, Numerics numerics, MatrixView sums);

/// Partial sums go to L1 in intermed_df and come back.
void spill(const OpConfig& op, Numerics numerics, MatrixView sums);

/// Whether fast math's sums stand for the matrix unit's (others always do). With 5-bit exponents a Dst saturates on the
/// way, and sums come back from there; see leaves_range().
bool in_range(const OpConfig& op, Numerics numerics, ConstMatrixView sums);

/// run(numerics) puts the products into the empty args.out and says whether they stayed in range. Where those of fast
/// math did not, the matrix unit's order decides: they are made once more.
void multiply_in_range(const BlockArgs& args, const std::function<bool(Numerics)>& run);

/// Sums without rounding worth the name (--numerics float32): short products in float, added up in double.
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

/// Adds k-blocks to `sums`: spilled and reloaded between blocks, or added in L1 by the packer (l1_acc).
class PartialSums {
public:
    PartialSums(const BlockArgs& args, Numerics numerics) : op_(args.op), numerics_(numerics), sums_(args.out) {}
    /// One more k-block: `product(to, accumulate)` must put or add its products to `to`.
    template <class Product>
    void add(Product product) {
        if (first_ || !op_.attr.l1_acc || numerics_ == Numerics::Float32) {
            if (!first_) spill(op_, numerics_, sums_);
            product(sums_, true);
            note_range(sums_);
            leave_dest(op_, numerics_, sums_);
        } else {
            scratch_.resize(static_cast<std::size_t>(sums_.rows * sums_.cols));
            const MatrixView block{scratch_.data(), sums_.rows, sums_.cols, sums_.cols};
            product(block, false);
            note_range(block);
            add_in_l1(block);
        }
        first_ = false;
    }
    bool stayed_in_range() const { return in_range_ && in_range(op_, numerics_, sums_); }

private:
    void add_in_l1(MatrixView block);
    /// Infinities stay until the end; what saturates must be seen at once.
    void note_range(ConstMatrixView sums) {
        if (info(op_.acc_df).family == FormatFamily::A) in_range_ = in_range_ && in_range(op_, numerics_, sums);
    }
    const OpConfig& op_;
    Numerics numerics_;
    MatrixView sums_;
    bool first_ = true, in_l1_ = false, in_range_ = true;
    std::vector<float> scratch_;
};

/// The passes behind the last k-block: bias (operand `next`, row 0 of each tile to every row of the tile; integers:
/// the full tile), requantization (the operand after it), gelu.
void finish_product(const BlockArgs& args, std::size_t next);

/// Unpack conversion and fidelity mask: operand 0 feeds SrcB, operand 1 SrcA, others are not multiplied.
void prepare_product(const OpConfig& op, int operand, Numerics numerics, MatrixView values);

/// The part of a bias or scale operand core (i, j) needs: its own output rectangle, with the last k-block.
OperandUse own_share_at_end(const OpConfig& op, std::int64_t core_r, std::int64_t core_c);
TileRect own_rect(const OpConfig& op, std::int64_t core_r, std::int64_t core_c);

}  // namespace ttsim::impl
