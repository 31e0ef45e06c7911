// What golden does with an op's result before it is compared or consumed; the simulator has pack_result() instead.
#pragma once

#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// Adds what the output slot held before (gradient_op; nullptr otherwise), then relu, then rounding and saturation
/// when out_df is Int8, UInt8, UInt16 or Int32. Float formats are left alone. Idempotent without `previous`.
void finish_golden(const OpConfig& op, const Tensor* previous, Tensor& result);

}  // namespace ttsim::impl
