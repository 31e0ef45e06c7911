// Int32 has more digits than a float: between ops and in queues its elements travel as the bits of an int32 (two's
// complement, +-(2^31 - 1)) inside the floats. Copies, sums and maxima of Int32 keep them; all other ops get floats,
// which round beyond 2^24, and what they leave becomes such bits again.
#pragma once

#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

inline bool travels_as_bits(DataFormat format) { return format == DataFormat::Int32; }
/// Inside of a fused op nothing travels as bits: its sub-ops give each other floats.
inline bool is_sub_op(const OpConfig& op) { return !op.fused && !op.attr.fused_op_id.empty(); }
inline bool operand_is_bits(const OpConfig& op, std::size_t k) {
    return travels_as_bits(op.in_df[k]) && !is_sub_op(op);
}
inline bool result_is_bits(const OpConfig& op) { return travels_as_bits(op.out_df) && !is_sub_op(op); }

/// Whether the op computes with the integers themselves: operands, Dst and result are Int32.
bool keeps_integers(const OpConfig& op);

void floats_to_integers(MatrixView values);  ///< integers; saturates
void integers_to_floats(MatrixView values);
void floats_to_integers(Tensor& values);
void integers_to_floats(Tensor& values);

/// out = a + b, saturated, and the larger of a and b, of `count` elements.
void add_integers(float* out, const float* a, const float* b, std::int64_t count);
void larger_integers(float* out, const float* a, const float* b, std::int64_t count);
void rectify_integers(MatrixView values);  ///< negative ones become 0

}  // namespace ttsim::impl
