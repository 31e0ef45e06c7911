// Bit-true FPU on integers: operands are sign and magnitude of up to 10 bits, Dst sign and magnitude of 31 bits. Values
// here are plain integers; Dst saturates at +-(2^31 - 1) after every instruction.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tensor.hpp"

namespace ttsim::impl::exact {

/// dest += in0 x in1 (in0 in SrcB, in1 in SrcA), per tile of `k_tile` inner indices, per phase, 16 inner indices at a
/// time. Row-major, dest rows x cols, in0 rows x k, in1 k x cols.
struct IntegerProduct {
    std::int64_t rows = 0, cols = 0, k = 0, k_tile = 32;
    std::span<const std::int32_t> in0, in1;
    std::span<std::int32_t> dest;
};
void integer_matmul(std::span<const int> phases, const IntegerProduct& product);

/// The part of a * b that one phase computes; a in SrcA, b in SrcB.
std::int32_t integer_product(int phase, std::int32_t a, std::int32_t b);
/// Sum clamped to +-(2^31 - 1).
std::int32_t integer_sum(std::int64_t dest, std::int64_t term);

}  // namespace ttsim::impl::exact
