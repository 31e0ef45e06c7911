// Both kinds of the op type "matmul": matmul.cpp has the dense matmul and the op table entry, matmul_sparse.cpp the
// matmul with attribute identity.
#pragma once

#include <deque>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

void check_sparse(const OpConfig& op, Diagnostics& out);
Tensor golden_sparse(const OpConfig& op, std::span<const Tensor* const> in);
OperandUse use_sparse(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c);
void prepare_sparse(const OpConfig& op, int operand, Numerics numerics, MatrixView values);
void block_sparse(const BlockArgs& args);

// Defined in golden_product.cpp, for golden of the product ops.
/// An op with operands padded by zeros to the tile size of the product.
struct GoldenPadded {
    GoldenPadded(const OpConfig& given, std::span<const Tensor* const> given_in);
    OpConfig op;
    std::vector<const Tensor*> in;

private:
    std::deque<Tensor> memory_;
};

/// sums += a * b, single thread.
void golden_multiply(ConstMatrixView a, ConstMatrixView b, MatrixView sums);
/// The steps after the sums: bias (from operand `next` on), requantization, gelu.
void golden_epilogue(const OpConfig& op, std::span<const Tensor* const> in, std::size_t next, Tensor& sums);

}  // namespace ttsim::impl
