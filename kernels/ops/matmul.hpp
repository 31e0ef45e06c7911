// The two matmuls behind the type name "matmul": matmul.cpp holds the dense one and the registry record,
// matmul_sparse.cpp the one with attribute identity.
#pragma once

#include <deque>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

void check_sparse(const OpConfig& op, Diagnostics& out);
Tensor golden_sparse(const OpConfig& op, std::span<const Tensor* const> in);
OperandUse use_sparse(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c);
void prepare_sparse(const OpConfig& op, int operand, Numerics numerics, MatrixView values);
void block_sparse(const BlockArgs& args);

// golden_product.cpp: shared by golden of the product ops.
/// An op whose operands' tiles are as large as the product needs: smaller ones are filled up with zeros.
struct GoldenFitted {
    GoldenFitted(const OpConfig& given, std::span<const Tensor* const> given_in);
    OpConfig op;
    std::vector<const Tensor*> in;

private:
    std::deque<Tensor> memory_;
};

/// sums += a * b, single thread.
void golden_multiply(ConstMatrixView a, ConstMatrixView b, MatrixView sums);
/// The passes behind the sums: bias (operand `next` on), requantization, gelu.
void golden_finish(const OpConfig& op, std::span<const Tensor* const> in, std::size_t next, Tensor& sums);

}  // namespace ttsim::impl
