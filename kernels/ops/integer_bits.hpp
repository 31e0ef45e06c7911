// Int32 has more digits than a float. Between ops and in queues, its elements are stored as the bits of an int32 (two's
// complement, +-(2^31 - 1)) inside the floats. Copies, sums and maxima of Int32 keep them. Other ops convert to floats,
// which round beyond 2^24, and convert their results back to bits.
#pragma once

#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

inline bool is_stored_as_bits(DataFormat format) { return format == DataFormat::Int32; }
/// Inside a fused op values are floats, never bits.
inline bool is_sub_op(const OpConfig& op) { return !op.fused && !op.attr.fused_op_id.empty(); }
inline bool operand_is_bits(const OpConfig& op, std::size_t k) {
    return is_stored_as_bits(op.in_df[k]) && !is_sub_op(op);
}
inline bool result_is_bits(const OpConfig& op) { return is_stored_as_bits(op.out_df) && !is_sub_op(op); }

/// Whether the op computes on integer bits: operands, Dst and result are Int32.
bool keeps_integers(const OpConfig& op);

void floats_to_integers(MatrixView values);  ///< from integer values; saturates
void integers_to_floats(MatrixView values);
void floats_to_integers(Tensor& values);
void integers_to_floats(Tensor& values);

/// out = a + b, saturated, or the larger of a and b, for `count` elements.
void add_integers(float* out, const float* a, const float* b, std::int64_t count);
void max_integers(float* out, const float* a, const float* b, std::int64_t count);
void rectify_integers(MatrixView values);  ///< negative values become 0

}  // namespace ttsim::impl
