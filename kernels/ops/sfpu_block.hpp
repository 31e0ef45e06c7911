// The simulator's side of the one-operand SFPU ops: the part of each tile that is computed, then rounding to Dst.
#pragma once

#include "kernels/ops/op_def.hpp"

namespace tt::sfpu {

void block_exp(const BlockArgs& args);
void block_log(const BlockArgs& args);
void block_sqrt(const BlockArgs& args);
void block_reciprocal(const BlockArgs& args);
void block_sigmoid(const BlockArgs& args);
void block_tanh(const BlockArgs& args);
void block_sine(const BlockArgs& args);
void block_cosine(const BlockArgs& args);
void block_abs(const BlockArgs& args);
void block_square(const BlockArgs& args);
void block_power(const BlockArgs& args);
void block_gelu(const BlockArgs& args);
void block_gelu_derivative(const BlockArgs& args);
void block_lrelu(const BlockArgs& args);
void block_dropout(const BlockArgs& args);

}  // namespace tt::sfpu
