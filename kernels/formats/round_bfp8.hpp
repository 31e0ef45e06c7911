// The packer's rounding to Bfp8_b, built for AVX2 and AVX-512: most results of ops and partial sums pass through it.
#pragma once

#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// Whether this processor and the set in use have the instructions.
bool can_round_bfp8_fast();

/// As round_groups<Reduce::Packer>(m, 7, 0, round_b<half_of_6_bits>), for rows of whole groups. `by_shifts` rounds a
/// group whose shared exponent is at the ends of the range. Requires can_round_bfp8_fast().
void round_bfp8_fast(MatrixView m, void (*by_shifts)(float* group));

}  // namespace ttsim::impl
